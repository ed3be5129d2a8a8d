import { ROOT_CONTEXT } from '@opentelemetry/api';
import { describe, expect, it } from 'vitest';
import { UndeliveredRing } from './undelivered-log.ts';

function event(n: number, error?: unknown) {
  const base = { type: 'undelivered', actor: `a${n}`, actorType: 'a', at: n, reason: 'full' } as const;
  return { ...base, message: 'secret'.repeat(1000), trace: ROOT_CONTEXT, error };
}

describe('UndeliveredRing', () => {
  it('counts all and keeps the last 1,000, oldest first', () => {
    const ring = new UndeliveredRing();
    for (let n = 0; n < 2500; n += 1) ring.add(event(n), undefined);
    const kept = ring.recent();
    expect([ring.total, ring.counts.full, ring.counts.stopped]).toEqual([2500, 2500, 0]);
    expect([kept.length, kept[0]?.at, kept[999]?.at]).toEqual([1000, 1500, 2499]);
  });

  it('keeps neither messages nor long texts', () => {
    const ring = new UndeliveredRing();
    ring.add(event(1, new TypeError('x'.repeat(5000))), 'y'.repeat(5000));
    ring.add(event(2, Object.create(null)), undefined);
    const [first, second] = ring.recent();
    expect(first?.error).toMatch(/^TypeError: x{20}/);
    expect(second?.error).toBe('a thrown object');
    expect(JSON.stringify(ring.recent()).length).toBeLessThan(1000);
  });
});
