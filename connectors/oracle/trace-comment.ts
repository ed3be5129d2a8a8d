const TRACEPARENT = /^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/;

/** Leads from the server's own records of statements back to the change. Anything but a well-formed traceparent is left out. */
export function withTrace(statement: string, traceparent: string | undefined): string {
  if (traceparent === undefined || !TRACEPARENT.test(traceparent)) return statement;
  // On a line of its own where the statement ends in a line comment.
  const gap = /--[^\n]*$/.test(statement) ? '\n' : ' ';
  return `${statement}${gap}/*traceparent='${traceparent}'*/`;
}
