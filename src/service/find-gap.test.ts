import { describe, expect, it } from 'vitest';
import type { ConsumerLook, StreamLook } from '../../streams/nats/stream-look.ts';
import { findGap, type GapQuestion, type LaneSight } from './find-gap.ts';

const NOW = 1_800_000_000_000;

/** 100 changes of the stream were there, 40 of them the lane's, of which it had delivered 10 (the last at 30) and settled all. */
const BEFORE: LaneSight = {
  at: NOW - 5_000,
  delivered: 30,
  deliveries: 10,
  ackFloor: 30,
  undelivered: 30,
  unacked: 0,
  first: 1,
  last: 100,
  firstTime: NOW - 90_000,
};
const CONSUMER: ConsumerLook = { delivered: 30, deliveries: 10, ackFloor: 30, undelivered: 30, unacked: 0 };
const STREAM: StreamLook = {
  first: 1,
  firstTime: NOW - 60_000,
  last: 100,
  bytes: 1_000,
  maxBytes: 1_000,
  maxAgeMs: 0,
};

function ask(more: Partial<GapQuestion> & { readonly newer?: number } = {}) {
  return findGap({
    before: BEFORE,
    consumer: CONSUMER,
    stream: STREAM,
    claimed: false,
    now: NOW,
    countBehind: async () => more.newer ?? 0,
    ...more,
  });
}

const from = (first: number, more: Partial<StreamLook> = {}): StreamLook => ({ ...STREAM, first, ...more });

describe('findGap', () => {
  it('finds none as long as nothing behind what was delivered is gone', async () => {
    expect(await ask()).toBeUndefined();
    expect(await ask({ stream: from(31) })).toBeUndefined();
    // Even though the lane is far behind.
    expect(
      await ask({ stream: from(31, { last: 5_000 }), consumer: { ...CONSUMER, undelivered: 900 } }),
    ).toBeUndefined();
  });

  it('tells of every stretch once', async () => {
    const before = { ...BEFORE, first: 41, undelivered: 25 };
    const consumer = { ...CONSUMER, undelivered: 20 };
    expect(await ask({ before, stream: from(41), consumer: { ...CONSUMER, undelivered: 25 } })).toBeUndefined();
    expect(await ask({ before, stream: from(51), consumer })).toMatchObject({ firstSequence: 41, changes: 5 });
  });

  it('counts what is neither still to come nor was delivered', async () => {
    const consumer = { ...CONSUMER, undelivered: 20 };
    expect(await ask({ stream: from(51), consumer })).toEqual({
      firstSequence: 31,
      lastSequence: 50,
      changes: 10,
      from: NOW - 90_000,
      to: NOW - 60_000,
    });
    // 5 more were published meanwhile, and 6 delivered before the others went.
    const more = { ...CONSUMER, delivered: 40, deliveries: 16, undelivered: 19 };
    expect(await ask({ stream: from(51, { last: 120 }), consumer: more, newer: 5 })).toMatchObject({ changes: 10 });
  });

  it('finds none where only changes of others are gone', async () => {
    expect(await ask({ stream: from(51) })).toBeUndefined();
    expect(
      await ask({ stream: from(51, { last: 120 }), consumer: { ...CONSUMER, undelivered: 37 }, newer: 7 }),
    ).toBeUndefined();
    const idle = { ...BEFORE, undelivered: 0 };
    expect(await ask({ before: idle, stream: from(101), consumer: { ...CONSUMER, undelivered: 0 } })).toBeUndefined();
  });

  it('counts all that was to come when the lane is beyond it by now', async () => {
    const consumer = { ...CONSUMER, delivered: 130, deliveries: 13, undelivered: 2 };
    expect(await ask({ stream: from(101, { last: 140 }), consumer })).toMatchObject({ changes: 27, lastSequence: 100 });
  });

  it('says that the number is not known where whole stretches came and went', async () => {
    const gap = await ask({ stream: from(300, { last: 400 }), consumer: { ...CONSUMER, undelivered: 50 } });
    expect(gap).toEqual({ firstSequence: 31, lastSequence: 299, from: NOW - 90_000, to: NOW - 60_000 });
    // Nothing was outstanding, so whatever is missing came later than the last look; and nothing is left now.
    const before = { ...BEFORE, undelivered: 0 };
    const empty = from(401, { last: 400, firstTime: 0 });
    expect(await ask({ before, stream: empty, consumer: { ...CONSUMER, undelivered: 0 } })).toEqual({
      firstSequence: 31,
      lastSequence: 400,
      from: NOW - 5_000,
      to: NOW,
    });
  });

  it('believes the oldest change that it saw: there is none while it stands, and one when it is gone', async () => {
    const consumer = { ...CONSUMER, undelivered: 20 };
    const seen = (sequence: number) => ({ ...BEFORE, oldest: { sequence, time: NOW - 70_000 } });
    expect(await ask({ before: seen(51), stream: from(51), consumer })).toBeUndefined();
    // Repeated deliveries hide how many are missing.
    const repeated = { ...CONSUMER, deliveries: 40, undelivered: 20 };
    expect(await ask({ before: seen(35), stream: from(51), consumer: repeated })).toEqual({
      firstSequence: 31,
      lastSequence: 50,
      from: NOW - 70_000,
      to: NOW - 60_000,
    });
  });

  it('of a lane just taken over, misses what was in hand, and what was delivered and is gone', async () => {
    const held = { ...BEFORE, ackFloor: 20, unacked: 3, heldFrom: 24 };
    const consumer = { ...CONSUMER, ackFloor: 27 };
    const gap = await ask({ before: held, stream: from(28), consumer, claimed: true });
    expect(gap).toMatchObject({ firstSequence: 21, lastSequence: 27 });
    expect(gap).not.toHaveProperty('changes');
    // What is in hand is not lost while the owner lives, and what the stream still has comes again.
    expect(await ask({ before: held, stream: from(28), consumer })).toBeUndefined();
    expect(await ask({ before: held, stream: from(21), consumer, claimed: true })).toBeUndefined();
    expect(await ask({ before: { ...held, heldFrom: 12 }, stream: from(15), consumer, claimed: true })).toMatchObject({
      firstSequence: 12,
      lastSequence: 14,
    });
  });

  it('counts exactly after a stop in which nobody read', async () => {
    const consumer = { ...CONSUMER, undelivered: 20 };
    expect(await ask({ stream: from(51), consumer, claimed: true })).toMatchObject({ changes: 10 });
    expect(await ask({ stream: from(51), claimed: true })).toBeUndefined();
  });
});
