/** Leads from the server's query log back to the change. Nothing but a well-formed traceparent is ever put in. */
export function withTrace(statement: string, traceparent: string | undefined): string {
  if (traceparent === undefined || !/^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/.test(traceparent)) {
    return statement;
  }
  return `${statement} /*traceparent='${traceparent}'*/`;
}
