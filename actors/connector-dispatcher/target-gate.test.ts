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
});
