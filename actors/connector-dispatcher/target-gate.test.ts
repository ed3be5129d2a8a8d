import { describe, expect, it } from 'vitest';
import type { Failure } from '../../src/domain/failure.ts';
import { TargetGate } from './target-gate.ts';

const AWAY: Failure = { class: 'transient', scope: 'target', code: 'unreachable', message: 'nobody answers' };

describe('TargetGate', () => {
  it('closed → open → half-open → closed', () => {
    const gate = new TargetGate(() => 0);
    expect([gate.state(0), gate.waitMs(0)]).toEqual(['closed', 0]);
    expect(gate.failed(AWAY, 0)).toBe(500);
    expect([gate.state(499), gate.waitMs(499)]).toEqual(['open', 1]);
    expect([gate.state(500), gate.waitMs(500)]).toEqual(['half-open', 0]);
    expect(gate.lastError).toBe('transient unreachable: nobody answers');
    gate.succeeded();
    expect([gate.state(500), gate.waitMs(0), gate.lastError]).toEqual(['closed', 0, undefined]);
  });

  it('waits longer after every failure, up to thirty seconds, and never gives up', () => {
    const gate = new TargetGate(() => 0);
    const waits = Array.from({ length: 2_000 }, () => gate.failed(AWAY, 0));
    expect(waits.slice(0, 8)).toEqual([500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
    expect(new Set(waits.slice(7))).toEqual(new Set([30_000]));
    gate.succeeded();
    expect(gate.failed(AWAY, 0)).toBe(500);
  });

  it('leaves out up to half of a wait at random, and waits at least as long as the target asks', () => {
    const gate = new TargetGate(() => 0.999);
    expect(gate.failed(AWAY, 0)).toBe(251);
    expect(gate.failed({ ...AWAY, retryAfterMs: 60_000 }, 0)).toBe(60_000);
    expect(gate.waitMs(1_000)).toBe(59_000);
  });

  it('leaves a target alone for as long as it asks when it only wants less, and forgets that at once', () => {
    const gate = new TargetGate(() => 0);
    const busy: Failure = { ...AWAY, class: 'throttled', code: '429', retryAfterMs: 7_000 };
    const waits = Array.from({ length: 20 }, (_, i) => gate.failed(busy, i * 10_000));
    expect(new Set(waits)).toEqual(new Set([7_000]));
    expect([gate.state(190_000), gate.waitMs(190_000), gate.state(197_000)]).toEqual(['open', 7_000, 'half-open']);
    expect(gate.lastError).toBe('throttled 429: nobody answers');
    // The next failure of another kind is the first of its kind.
    expect(gate.failed(AWAY, 200_000)).toBe(500);
    gate.succeeded();
    expect(gate.state(200_000)).toBe('closed');
    expect(gate.failed({ ...busy, retryAfterMs: 86_400_000 }, 0)).toBe(3_600_000);
    const { retryAfterMs: _, ...silent } = busy;
    expect(gate.failed(silent, 0)).toBe(500);
  });
});
