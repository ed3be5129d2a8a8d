import { describe, expect, it } from 'vitest';
import { type ManualClock, manualClock } from '../../test/support/manual-clock.ts';
import { createTokenBucket, type TokenBucket } from './token-bucket.ts';

/** Starts a take and notes the time at which it was granted. */
function taking(bucket: TokenBucket, clock: ManualClock): (units: number, signal?: AbortSignal) => { at?: number } {
  return (units, signal) => {
    const grant: { at?: number } = {};
    bucket.take(units, signal).then(
      () => {
        grant.at = clock.now();
      },
      () => undefined,
    );
    return grant;
  };
}

async function run(clock: ManualClock, ms: number): Promise<void> {
  for (let i = 0; i < ms; i += 10) {
    await Promise.resolve();
    await Promise.resolve();
    clock.advance(10);
  }
  await Promise.resolve();
  await Promise.resolve();
}

function setup(perSecond: number, burst: number) {
  const clock = manualClock();
  const bucket = createTokenBucket({ perSecond, burst }, clock);
  return { clock, bucket, take: taking(bucket, clock) };
}

describe('token bucket', () => {
  it('grants the burst at once and the rest at the rate, first come first served', async () => {
    const { clock, take } = setup(100, 5);
    const grants = Array.from({ length: 10 }, () => take(1));
    await run(clock, 100);
    expect(grants.map((grant) => grant.at)).toEqual([0, 0, 0, 0, 0, 10, 20, 30, 40, 50]);
  });

  it('never grants more than burst + rate × time, whatever is asked', async () => {
    const { clock, bucket } = setup(50, 10);
    let granted = 0;
    let worst = 0;
    for (let i = 0; i < 200; i += 1) {
      const units = 1 + ((i * 7) % 9);
      void bucket.take(units).then(() => {
        granted += units;
        worst = Math.max(worst, granted - (10 + (clock.now() * 50) / 1_000));
      });
    }
    await run(clock, 21_000);
    expect(granted).toBe(Array.from({ length: 200 }, (_, i) => 1 + ((i * 7) % 9)).reduce((a, b) => a + b));
    expect(worst).toBeLessThanOrEqual(1e-6);
  });

  it('lets a take above the burst pass when full, and works its debt off', async () => {
    const { clock, take } = setup(100, 10);
    const large = take(30);
    const next = take(1);
    await run(clock, 400);
    expect(large.at).toBe(0);
    expect(next.at).toBe(210);
  });

  it('takes a new rate over at once', async () => {
    const { clock, bucket, take } = setup(1, 1);
    take(1);
    const waiting = take(1);
    await run(clock, 100);
    expect(waiting.at).toBeUndefined();
    bucket.setRate({ perSecond: 100, burst: 1 });
    await run(clock, 50);
    expect(waiting.at).toBeLessThanOrEqual(110);
    bucket.setRate({ perSecond: Number.POSITIVE_INFINITY, burst: 1 });
    const free = Array.from({ length: 50 }, () => take(1_000));
    await run(clock, 10);
    expect(free.every((grant) => grant.at !== undefined)).toBe(true);
  });

  it('takes nothing for an aborted wait, and lets the next one pass', async () => {
    const { clock, bucket, take } = setup(10, 1);
    take(1);
    const abort = new AbortController();
    const aborted = bucket.take(1, abort.signal);
    const next = take(1);
    expect(bucket.waiting()).toBe(2);
    abort.abort(new Error('stop'));
    await expect(aborted).rejects.toThrow('stop');
    await run(clock, 150);
    expect(next.at).toBe(100);
    await expect(bucket.take(1, abort.signal)).rejects.toThrow('stop');
    expect(bucket.waiting()).toBe(0);
  });

  it('refuses a rate that would never grant anything', () => {
    expect(() => createTokenBucket({ perSecond: 0, burst: 1 })).toThrow(RangeError);
    expect(() => createTokenBucket({ perSecond: 1, burst: 0 })).toThrow(RangeError);
  });
});
