import { describe, expect, it } from 'vitest';
import { type ManualClock, manualClock } from '../../test/support/manual-clock.ts';
import { type AdaptiveBucket, createAdaptiveBucket } from './adaptive-bucket.ts';

async function run(clock: ManualClock, ms: number): Promise<void> {
  for (let i = 0; i < ms; i += 50) {
    for (let turn = 0; turn < 8; turn += 1) await Promise.resolve();
    clock.advance(50);
  }
  for (let turn = 0; turn < 8; turn += 1) await Promise.resolve();
}

/** Somebody who always wants the next unit; tells how many were granted so far. */
function greedy(bucket: AdaptiveBucket): () => number {
  let granted = 0;
  const go = async (): Promise<void> => {
    for (;;) {
      await bucket.take(1);
      granted += 1;
    }
  };
  void go();
  return () => granted;
}

/** Units granted in each of so many seconds. */
async function perSecondOf(clock: ManualClock, granted: () => number, seconds: number): Promise<number[]> {
  const counts: number[] = [];
  for (let i = 0; i < seconds; i += 1) {
    const before = granted();
    await run(clock, 1_000);
    counts.push(granted() - before);
  }
  return counts;
}

describe('createAdaptiveBucket', () => {
  it('gives way when the target asks to slow down, and is back at the configured rate by itself', async () => {
    const clock = manualClock();
    const bucket = createAdaptiveBucket({ perSecond: 20, burst: 20 }, clock);
    const granted = greedy(bucket);
    await run(clock, 3_000);
    expect(await perSecondOf(clock, granted, 2)).toEqual([20, 20]);
    bucket.throttled();
    expect(bucket.perSecond()).toBe(10);
    expect((await perSecondOf(clock, granted, 4)).at(-1)).toBe(10);
    for (let i = 0; i < 10; i += 1) {
      bucket.throttled();
      await run(clock, 1_000);
    }
    expect(bucket.perSecond()).toBeCloseTo(20 / 64);
    await run(clock, 65_000);
    expect(bucket.perSecond()).toBe(20);
    await run(clock, 1_000);
    expect(await perSecondOf(clock, granted, 3)).toEqual([20, 20, 20]);
  });

  it('rises for those as well who wait already', async () => {
    const clock = manualClock();
    const bucket = createAdaptiveBucket({ perSecond: 64, burst: 1 }, clock);
    for (let i = 0; i < 12; i += 1) {
      bucket.throttled();
      await run(clock, 1_000);
    }
    await bucket.take(60);
    let at = 0;
    void bucket.take(1).then(() => {
      at = clock.now();
    });
    const from = clock.now();
    await run(clock, 40_000);
    // At the floor of 1/s the debt alone would take 60 s.
    expect(at - from).toBeGreaterThan(5_000);
    expect(at - from).toBeLessThan(20_000);
  });

  it('keeps no timer going when nobody waits', async () => {
    const clock = manualClock();
    let timers = 0;
    const bucket = createAdaptiveBucket(
      { perSecond: 10, burst: 10 },
      {
        now: clock.now,
        after: (ms, callback) => {
          timers += 1;
          return clock.after(ms, callback);
        },
      },
    );
    bucket.throttled();
    await run(clock, 10_000);
    expect(timers).toBe(0);
    await bucket.take(1);
    await run(clock, 60_000);
    expect([timers, bucket.perSecond()]).toEqual([0, 10]);
  });

  it('passes an abort on, and leaves a target without a limit alone', async () => {
    const clock = manualClock();
    const bucket = createAdaptiveBucket({ perSecond: 1, burst: 1 }, clock);
    bucket.throttled();
    await bucket.take(1);
    const ending = new AbortController();
    const waiting = bucket.take(1, ending.signal);
    ending.abort(new Error('the lane ends'));
    await expect(waiting).rejects.toThrow('the lane ends');
    const free = createAdaptiveBucket({ perSecond: Number.POSITIVE_INFINITY, burst: 1 }, clock);
    free.throttled();
    expect(free.perSecond()).toBe(Number.POSITIVE_INFINITY);
  });
});
