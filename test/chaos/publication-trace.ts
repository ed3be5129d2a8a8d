import { createHash } from 'node:crypto';

/** The trace that a publication begins: of its own for each time that an event is sent, and told by the event's id. */
export function traceparentOf(eventId: string, index: number): string {
  const digest = createHash('sha256').update(`${eventId} ${index}`).digest('hex');
  return `00-${traceStart(eventId)}${digest.slice(0, 16)}-${digest.slice(16, 32)}-01`;
}

/** Whether the trace was begun by a publication of the event. */
export function isTraceOf(traceId: string, eventId: string): boolean {
  return traceId.length === 32 && traceId.startsWith(traceStart(eventId));
}

function traceStart(eventId: string): string {
  return createHash('sha256').update(eventId).digest('hex').slice(0, 16);
}
