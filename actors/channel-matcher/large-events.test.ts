import { describe, expect, it } from 'vitest';
import { CHANGE_HEADERS } from '../../src/domain/change-headers.ts';
import { encodeLargeEvent } from '../../src/domain/large-event.ts';
import type { Delivery } from '../../streams/nats/contract.ts';
import { LargeEvents } from './large-events.ts';

/** A store that answers when it is told to. */
function setUp(maxBytes: number) {
  const asked: { readonly bytes: number; readonly answer: (body: Uint8Array | Error | undefined) => void }[] = [];
  const handed: { readonly delivery: Delivery; readonly found: boolean }[] = [];
  const ends: string[] = [];
  const events = new LargeEvents({
    maxBytes,
    fetch: ({ bytes }) =>
      new Promise((resolve, reject) => {
        asked.push({ bytes, answer: (body) => (body instanceof Error ? reject(body) : resolve(body)) });
      }),
    fetched: (delivery, found) => void handed.push({ delivery, found }),
  });
  const take = (sequence: number, bytes: number): void =>
    events.take({
      subject: 'change.sample',
      sequence,
      deliveryCount: 1,
      streamTime: 0,
      headers: { [CHANGE_HEADERS.large]: '1', other: 'kept' },
      data: encodeLargeEvent({ eventId: `e${sequence}`, object: { sequences: [1], bytes, sha256: 'h' } }),
      pending: 0,
      ack: () => void ends.push(`ack ${sequence}`),
      nak: (delay) => void ends.push(`nak ${sequence} ${delay}`),
    });
  return { events, asked, handed, ends, take };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('LargeEvents', () => {
  it('hands on the delivery with its whole body, and no longer as a reference', async () => {
    const { asked, handed, take } = setUp(100);
    take(1, 10);
    asked[0]?.answer(Buffer.from('whole'));
    await settled();
    expect(handed).toMatchObject([{ found: true, delivery: { sequence: 1, headers: { other: 'kept' } } }]);
    expect(handed[0]?.delivery.headers).not.toHaveProperty(CHANGE_HEADERS.large);
    expect(Buffer.from(handed[0]?.delivery.data ?? []).toString()).toBe('whole');
  });

  it('P3 keeps no more bytes in hand than it may, and one larger event alone; the end of a delivery frees them', async () => {
    const { events, asked, handed, ends, take } = setUp(100);
    for (const [sequence, bytes] of [
      [1, 60],
      [2, 40],
      [3, 500],
      [4, 1],
    ] as const)
      take(sequence, bytes);
    expect(asked.map(({ bytes }) => bytes)).toEqual([60, 40]);
    for (const { answer } of asked) answer(Buffer.from('body'));
    await settled();
    expect(handed.map(({ delivery }) => delivery.sequence)).toEqual([1, 2]);
    handed[0]?.delivery.ack();
    handed[0]?.delivery.ack();
    expect(events.bytesInHand).toBe(40);
    expect(asked).toHaveLength(2);
    handed[1]?.delivery.nak();
    expect(asked.map(({ bytes }) => bytes)).toEqual([60, 40, 500]);
    asked[2]?.answer(Buffer.from('body'));
    await settled();
    handed[2]?.delivery.ack();
    expect(events.bytesInHand).toBe(1);
    expect(ends).toEqual(['ack 1', 'ack 1', 'nak 2 undefined', 'ack 3']);
  });

  it('says when the event is gone, and gives back what cannot be asked for', async () => {
    const { events, asked, handed, ends, take } = setUp(100);
    take(1, 60);
    take(2, 60);
    asked[0]?.answer(undefined);
    await settled();
    expect(handed).toMatchObject([{ found: false, delivery: { sequence: 1 } }]);
    handed[0]?.delivery.ack();
    asked[1]?.answer(new Error('lost'));
    await settled();
    expect(ends).toEqual(['ack 1', 'nak 2 10000']);
    expect(events.bytesInHand).toBe(0);
  });
});
