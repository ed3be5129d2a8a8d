import { describe, expect, it } from 'vitest';
import type { OutcomeMessage } from '../domain/outcome.ts';
import { recordedMark } from '../domain/recorded-marks.ts';
import { splitOutcome } from './split-outcome.ts';

const BEFORE = { state: { v: 1, fields: {}, recent: [], settled: [] } } as const;

function message(items: number, superseded: number): OutcomeMessage {
  return {
    v: 1,
    id: 'batch',
    target: 'pg',
    asset: { entityType: 'table', fqn: 'pg.a.b.c', key: 'k' },
    at: 1,
    lane: 'pg-0',
    epoch: 1,
    configRevision: 1,
    items: Array.from({ length: items }, (_, i) => ({
      sequence: i,
      eventId: `e${i}`,
      object: `c${i}`,
      status: 'applied',
      after: 'x'.repeat(900),
    })),
    superseded: Array.from({ length: superseded }, (_, i) => ({
      sequence: 1000 + i,
      eventId: `s${i}`,
      object: '',
      by: 'e1',
    })),
    settles: [1, 2, 3],
    state: { v: 1, fields: {}, recent: [], settled: [1, 2, 3] },
  };
}

describe('splitOutcome', () => {
  it('leaves a small message as it is', () => {
    const small = message(2, 1);
    expect(splitOutcome(small, BEFORE)).toEqual([small]);
  });

  it('splits a large one into parts below the limit, each item once, the sequences settled by the last', () => {
    const large = message(600, 300);
    const parts = splitOutcome(large, BEFORE);
    expect(parts.length).toBeGreaterThan(2);
    for (const part of parts) expect(Buffer.byteLength(JSON.stringify(part))).toBeLessThanOrEqual(240 * 1024);
    expect(parts.flatMap((part) => part.items)).toEqual(large.items);
    expect(parts.flatMap((part) => part.superseded)).toEqual(large.superseded);
    expect(parts.slice(0, -1).every((part) => part.settles.length === 0)).toBe(true);
    expect(parts.at(-1)?.settles).toEqual([1, 2, 3]);
    for (const [index, { state }] of parts.slice(0, -1).entries()) {
      const { partial, ...before } = state;
      expect(before).toEqual(BEFORE.state);
      const recorded = parts.slice(0, index + 1).flatMap((part) => [...part.items, ...part.superseded]);
      expect(partial).toEqual(
        Object.fromEntries(recorded.map(({ sequence, object }) => [sequence, [recordedMark(undefined, object)]])),
      );
    }
    expect(parts.at(-1)?.state).toEqual(large.state);
    expect(new Set(parts.map((part) => part.id)).size).toBe(parts.length);
    expect(parts.at(-1)?.id).toBe('batch');
  });

  it('records everything about one object of one change at once, whatever channels it has', () => {
    const { items, ...rest } = message(600, 0);
    const twice = items.flatMap((item) => [
      { ...item, aspect: 'description' as const, channel: 'a' },
      { ...item, aspect: 'description' as const, channel: 'b' },
    ]);
    const superseded = items.map(({ sequence, eventId, object }) => {
      return { sequence, eventId, object, aspect: 'description' as const, channel: 'c', by: 'e' };
    });
    const parts = splitOutcome({ ...rest, items: twice, superseded }, BEFORE);
    expect(parts.length).toBeGreaterThan(2);
    for (const part of parts) {
      expect(Buffer.byteLength(JSON.stringify(part))).toBeLessThanOrEqual(240 * 1024);
      const of = (list: readonly { sequence: number }[], sequence: number) =>
        list.filter((item) => item.sequence === sequence).length;
      for (const { sequence } of part.items)
        expect([of(part.items, sequence), of(part.superseded, sequence)]).toEqual([2, 1]);
    }
  });
});
