import type { ConsumerLook, StreamLook } from '../../streams/nats/stream-look.ts';

/** From this share of a limit on, a lane or a stream alarms. */
export const ALARM_FROM = 0.7;
/** After an alarm it has to fall below this share before it can alarm again. */
const CALM_BELOW = 0.65;

/** Whether something alarms at this share of its limit; `before`: whether it did at the look before. */
export function alarms(share: number, before: boolean): boolean {
  return share >= (before ? CALM_BELOW : ALARM_FROM);
}

/** Whether any message of the stream is old enough, or has enough behind it, for a lane to alarm. */
export function mayBeNear(stream: StreamLook, now: number): boolean {
  return Math.max(fill(stream), ageShare(stream, stream.firstTime, now)) >= ALARM_FROM;
}

/** How full a stream is, 0 to 1; 0 without a limit. */
export function fill({ bytes, maxBytes }: Pick<StreamLook, 'bytes' | 'maxBytes'>): number {
  return maxBytes === 0 ? 0 : bytes / maxBytes;
}

/**
 * How near a lane is to losing its oldest unsettled change, 1 being the moment that the stream discards it: the share of the age or of
 * the bytes that the change has used up, whichever is more. `oldestTime`: when that change came; undefined when it is not known.
 */
export function retentionReach(
  consumer: ConsumerLook,
  stream: StreamLook,
  oldestTime: number | undefined,
  now: number,
): number {
  if (consumer.undelivered + consumer.unacked === 0) return 0;
  const behind = Math.max(0, stream.last - Math.max(consumer.ackFloor, stream.first - 1));
  const messages = stream.last - stream.first + 1;
  const byBytes = messages <= 0 ? 0 : (behind / messages) * fill(stream);
  return Math.max(byBytes, oldestTime === undefined ? 0 : ageShare(stream, oldestTime, now));
}

function ageShare({ maxAgeMs }: StreamLook, time: number, now: number): number {
  return maxAgeMs === 0 || time === 0 ? 0 : (now - time) / maxAgeMs;
}
