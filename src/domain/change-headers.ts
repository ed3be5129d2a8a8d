/** Headers of messages in CHANGES, beside `Nats-Msg-Id`, `traceparent` and `tracestate`. All are lower case: NATS tells case apart. */
export const CHANGE_HEADERS = {
  /** When intake took the event, epoch milliseconds. */
  receivedAt: 'backflow-received-at',
  /** On a replay of a dead letter: the event id of the change that it replays. */
  replayOf: 'backflow-replay-of',
  /** On a replay: the only target, and the only channel, that it is for. */
  replayTarget: 'backflow-replay-target',
  replayChannel: 'backflow-replay-channel',
  /** `1`: no target read the service when the change came; its outcome is recorded already, lanes ack it unread. */
  noTarget: 'backflow-no-target',
  /** `1`: what no lane needs was taken out, since the event was too large for one message. */
  slimmed: 'backflow-slimmed',
  /** `1`: even so it was too large for one message; the body says where in CHANGES its parts lie (`LargeEvent`). */
  large: 'backflow-large',
} as const;
