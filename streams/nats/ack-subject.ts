/** What JetStream tells about a delivery in the subject that it is acknowledged on. */
export interface AckSubject {
  readonly deliveryCount: number;
  readonly streamSequence: number;
  /** JetStream's time of the message, epoch milliseconds. */
  readonly streamTime: number;
  /** Messages of the consumer waiting behind this one. */
  readonly pending: number;
}

/**
 * Reads `$JS.ACK.<stream>.<consumer>.<count>.<sequence>.<consumer sequence>.<nanoseconds>.<pending>`, or the longer form with
 * domain and account hash in front of the stream. Undefined for anything else.
 */
export function parseAckSubject(subject: string | undefined): AckSubject | undefined {
  const tokens = (subject ?? '').split('.');
  if (tokens[0] !== '$JS' || tokens[1] !== 'ACK') return undefined;
  const start = tokens.length === 9 ? 4 : 6;
  if (tokens.length !== 9 && tokens.length < 11) return undefined;
  const [count, sequence, , nanoseconds, pending] = tokens.slice(start);
  const parsed = {
    deliveryCount: Number(count),
    streamSequence: Number(sequence),
    streamTime: Math.floor(Number(nanoseconds) / 1_000_000),
    pending: Number(pending),
  };
  const { deliveryCount, streamSequence, streamTime } = parsed;
  // A sum is finite only where all of it is.
  return Number.isFinite(deliveryCount + streamSequence + streamTime + parsed.pending) ? parsed : undefined;
}
