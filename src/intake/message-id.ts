import { createHash } from 'node:crypto';

/** An event id as `Nats-Msg-Id`: as it is where it is a plain word, else its hash, since a header holds no line break and is limited. */
export function messageIdOf(eventId: string): string {
  if (/^[A-Za-z0-9._:-]{1,128}$/.test(eventId)) return eventId;
  return `sha256-${createHash('sha256').update(eventId).digest('hex')}`;
}
