import { describe, expect, it } from 'vitest';
import {
  type GuardState,
  holdsClears,
  NEW_GUARD,
  parseGuard,
  passClears,
  releaseClears,
  releasedThrough,
} from './clear-guard.ts';

const LIMIT = { clears: 3, perMs: 600_000 };

/** Asks for clears and goes on from what is stored. */
function guard(state: GuardState = NEW_GUARD) {
  return {
    get state() {
      return state;
    },
    ask(now: number, sequences: readonly number[], target = 'pg') {
      const answer = passClears(state, LIMIT, { target, sequences, now });
      state = parseGuard(JSON.stringify(answer.state));
      return answer.passes;
    },
    release(sequence: number, target?: string) {
      state = releaseClears(state, sequence, target);
    },
  };
}

describe('the guard on clears', () => {
  it('lets through what the limit allows; the first one above it makes the channel hold, whatever the time', () => {
    const docs = guard();
    expect(docs.ask(0, [1, 2])).toEqual([true, true]);
    expect(holdsClears(docs.state, 'pg')).toBe(false);
    expect(docs.ask(1_000, [3, 4])).toEqual([true, false]);
    expect(docs.state.holding).toEqual({ since: 1_000, by: 'pg' });
    expect(docs.ask(10_000_000, [5])).toEqual([false]);
  });

  it('exactly as many as allowed do not make it hold, and old ones leave the window', () => {
    const docs = guard();
    expect(docs.ask(0, [1, 2, 3])).toEqual([true, true, true]);
    expect(docs.ask(600_000, [4, 5, 6])).toEqual([true, true, true]);
    expect(holdsClears(docs.state, 'pg')).toBe(false);
  });

  it('counts over all targets of the channel, and holds on all of them', () => {
    const docs = guard();
    docs.ask(0, [1, 2], 'pg');
    expect(docs.ask(0, [3, 4], 'maria')).toEqual([true, false]);
    expect(docs.ask(0, [5], 'pg')).toEqual([false]);
  });

  it('a release lets through what was accepted until then, uncounted; later ones count from zero', () => {
    const docs = guard();
    docs.ask(0, [1, 2, 3, 4]);
    docs.release(100);
    expect(holdsClears(docs.state, 'pg')).toBe(false);
    expect(docs.ask(1, [4, 50, 60, 70, 100])).toEqual([true, true, true, true, true]);
    expect(docs.ask(2, [101, 102, 103, 104])).toEqual([true, true, true, false]);
    // What was released once stays so while the channel holds again.
    expect(docs.ask(3, [99, 105])).toEqual([true, false]);
  });

  it('a target released alone goes on and counts alone while the others hold', () => {
    const docs = guard();
    docs.ask(0, [1, 2, 3, 4], 'pg');
    docs.release(10, 'pg');
    expect(docs.ask(1, [4, 11, 12, 13], 'pg')).toEqual([true, true, true, true]);
    expect(docs.ask(1, [5], 'maria')).toEqual([false]);
    expect(docs.ask(2, [14], 'pg')).toEqual([false]);
    expect(holdsClears(docs.state, 'pg')).toBe(true);
    docs.release(20);
    expect([releasedThrough(docs.state, 'pg'), releasedThrough(docs.state, 'maria')]).toEqual([20, 20]);
    expect(docs.ask(3, [15], 'maria')).toEqual([true]);
  });

  it('has nothing to store while it holds, and keeps its record small', () => {
    const docs = guard();
    docs.ask(0, [1, 2, 3, 4]);
    expect(passClears(docs.state, LIMIT, { target: 'pg', sequences: [5], now: 1 }).state).toBe(docs.state);
    let state = NEW_GUARD;
    for (let i = 0; i < 5_000; i += 1) {
      const ask = { target: 'pg', sequences: [i + 1], now: i * 100 };
      state = passClears(state, { clears: 100_000, perMs: 600_000 }, ask).state;
    }
    expect(state.passed.length).toBeLessThanOrEqual(60);
    expect(state.passed.reduce((sum, { clears }) => sum + clears, 0)).toBe(5_000);
  });

  it('begins anew from a record that cannot be read', () => {
    expect(parseGuard('{"v":2}')).toEqual(NEW_GUARD);
    expect(parseGuard('nonsense')).toEqual(NEW_GUARD);
  });
});
