/** What a status message (no data, only a status line) says about a pull request. */
export type PullStatus =
  /** The server is alive, nothing to deliver. */
  | 'heartbeat'
  /** The request is over: expired, or nothing was there. */
  | 'ended'
  /** The next message is larger than what is left of `max_bytes`; the request is over. */
  | 'too-large'
  /** Consumer or stream was deleted. */
  | 'consumer-gone'
  /** The leader moved or the server stops: ask again. */
  | 'leader-change'
  /** Nobody takes pull requests for the consumer. */
  | 'no-responders'
  /** Anything else: the request was not accepted. */
  | 'refused';

/** `code` and `description` stand in the status line (`NATS/1.0 408 Request Timeout`). */
export function pullStatus(code: number, description: string): PullStatus {
  const text = description.toLowerCase();
  switch (code) {
    case 100:
      return 'heartbeat';
    case 404:
    case 408:
      return 'ended';
    case 503:
      return 'no-responders';
    case 409:
      if (text.includes('exceeds maxbytes')) return 'too-large';
      // Newer servers tell the bytes that a filled request left over; some of its messages may not have come through.
      if (text.includes('batch completed')) return 'ended';
      if (text.includes('consumer deleted') || text.includes('stream deleted')) return 'consumer-gone';
      if (text.includes('leadership change') || text.includes('server shutdown')) return 'leader-change';
      return 'refused';
    default:
      return 'refused';
  }
}
