import { describe, expect, it } from 'vitest';
import type { ConsumerLook, StreamLook } from '../../streams/nats/stream-look.ts';
import { alarms, mayBeNear, retentionReach } from './retention-reach.ts';

const NOW = 1_800_000_000_000;
const stream = (more: Partial<StreamLook> = {}): StreamLook => ({
  first: 101,
  firstTime: NOW - 1_000,
  last: 200,
  bytes: 0,
  maxBytes: 1_000,
  maxAgeMs: 10_000,
  ...more,
});
const consumer = (ackFloor: number, outstanding = 1): ConsumerLook => ({
  delivered: ackFloor,
  deliveries: 1,
  ackFloor,
  undelivered: outstanding,
  unacked: 0,
});

describe('alarms', () => {
  it('begins at the share of alarm, and ends only some way below it', () => {
    expect([0.69, 0.7, 1].map((share) => alarms(share, false))).toEqual([false, true, true]);
    expect([0.64, 0.65, 0.7].map((share) => alarms(share, true))).toEqual([false, true, true]);
  });
});

describe('retentionReach', () => {
  it('is the share of the bytes that lie behind the oldest unsettled change', () => {
    expect(retentionReach(consumer(100), stream({ bytes: 500 }), undefined, NOW)).toBe(0.5);
    expect(retentionReach(consumer(150), stream({ bytes: 1_000 }), undefined, NOW)).toBe(0.5);
    expect(retentionReach(consumer(7), stream({ bytes: 1_000 }), undefined, NOW)).toBe(1);
    expect(retentionReach(consumer(200), stream({ bytes: 1_000 }), undefined, NOW)).toBe(0);
  });

  it('is the share of its age when that is more', () => {
    expect(retentionReach(consumer(150), stream({ bytes: 100 }), NOW - 8_000, NOW)).toBe(0.8);
  });

  it('is nothing when nothing is outstanding, and without limits', () => {
    expect(retentionReach(consumer(7, 0), stream({ bytes: 1_000 }), NOW - 9_000, NOW)).toBe(0);
    expect(retentionReach(consumer(7), stream({ bytes: 1_000, maxBytes: 0, maxAgeMs: 0 }), NOW - 9_000, NOW)).toBe(0);
  });

  it('looks closer only when some message of the stream is near a limit', () => {
    expect(mayBeNear(stream({ bytes: 690 }), NOW)).toBe(false);
    expect(mayBeNear(stream({ bytes: 700 }), NOW)).toBe(true);
    expect(mayBeNear(stream({ firstTime: NOW - 7_000 }), NOW)).toBe(true);
    expect(mayBeNear(stream({ first: 201, firstTime: 0 }), NOW)).toBe(false);
  });
});
