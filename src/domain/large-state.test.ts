import { describe, expect, it } from 'vitest';
import { isLargeState, reducedState } from './large-state.ts';
import type { Rank } from './rank.ts';
import type { SyncState } from './sync-state.ts';

const rank = (time: number): Rank => ({ time, entityId: 'entity', version: 1, previous: 0.9, eventId: `e${time}` });

function state(columns: number): SyncState {
  return {
    v: 1,
    base: rank(5),
    newestSeen: 9,
    fields: Object.fromEntries(
      Array.from({ length: columns }, (_, i) => [`description of c${i}`, { hash: 'h'.repeat(16), rank: rank(i + 1) }]),
    ),
    recent: [{ eventId: 'e1', entityId: 'entity', currentVersion: 1, time: 1, fields: { 'description of c1': 'h' } }],
    settled: [3, 4],
    partial: { 7: ['description of c1'] },
  };
}

describe('a large state', () => {
  it('is one above 64 KB, whatever makes it large', () => {
    expect(isLargeState(state(100))).toBe(false);
    expect(isLargeState(state(3_000))).toBe(true);
    const tags = Array.from({ length: 3_000 }, (_, i) => `key.${i}=${'v'.repeat(20)}`);
    expect(isLargeState({ ...state(1), fields: { tags: { tags } } })).toBe(true);
    const names = Array.from({ length: 4_000 }, (_, i) => `description of column ${i}`);
    expect(isLargeState({ ...state(1), partial: { 7: names } })).toBe(true);
    const id = 'i'.repeat(70_000);
    expect(isLargeState({ ...state(1), base: { ...rank(1), eventId: id } })).toBe(true);
    const exactly = (bytes: number): SyncState => {
      const small = { ...state(0), base: rank(1) };
      const eventId = 'i'.repeat(bytes - Buffer.byteLength(JSON.stringify(small)) + 2);
      return { ...small, base: { ...rank(1), eventId } };
    };
    expect(isLargeState(exactly(65_536))).toBe(false);
    expect(isLargeState(exactly(65_537))).toBe(true);
  });

  it('is one by its bytes, whatever characters its names and tags are of', () => {
    for (const char of ['"', '\\', '\u0001', 'é', '€', '😀', '\ud800', 'a']) {
      const of = (count: number): SyncState => ({
        ...state(0),
        fields: { [char.repeat(9)]: { written: char.repeat(9), mayStand: [char.repeat(count)] } },
      });
      const bytes = (count: number): number => Buffer.byteLength(JSON.stringify(of(count)));
      const perChar = (bytes(2_000) - bytes(1_000)) / 1_000;
      const most = 1_000 + Math.floor((65_536 - bytes(1_000)) / perChar);
      expect([isLargeState(of(most)), isLargeState(of(most + 1))], char).toEqual([false, true]);
    }
  });

  it('is reduced to what lets nothing go back and nothing be settled twice', () => {
    const reduced = reducedState(state(3_000));
    expect(reduced).toEqual({
      v: 1,
      base: rank(5),
      floor: rank(3_000),
      newestSeen: 9,
      fields: {},
      recent: [{ eventId: 'e1', entityId: 'entity', currentVersion: 1, time: 1, fields: {} }],
      settled: [3, 4],
    });
    expect(reducedState({ ...state(2), floor: rank(99) }).floor).toEqual(rank(99));
  });
});
