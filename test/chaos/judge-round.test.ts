import { describe, expect, it } from 'vitest';
import type { Run } from '../../src/service/history.ts';
import { fieldName } from './chaos-sources.ts';
import type { EditingSession } from './editing-session.ts';
import { type Found, judge } from './judge-round.ts';
import { traceparentOf } from './publication-trace.ts';

const TABLE = { service: 'pg_sales', database: 'shop', schema: 'public', name: 't0' };
const FIELD = fieldName('pg_sales', 't0', 'table');

/** Two edits of one description; the second is the newest. */
function sessionWith(newest: string | undefined): EditingSession {
  const publication = { at: 0, body: '', way: 'webhook', replica: 0 } as const;
  return {
    publications: [
      { ...publication, eventId: 'e1' },
      { ...publication, eventId: 'e2' },
    ],
    fields: [
      {
        table: TABLE,
        part: 'table',
        edits: [
          { eventId: 'e1', value: 'old' },
          { eventId: 'e2', value: newest },
        ],
      },
    ],
  };
}

const traceOf = (sequence: number): string => traceparentOf(`e${sequence}`, 0).split('-')[1] ?? '';

function run(sequence: number, more: Partial<Run> = {}): Run {
  return {
    sequence,
    eventId: `e${sequence}`,
    channel: 'docs',
    aspect: 'description',
    object: '',
    status: 'applied',
    target: 'pg_sales',
    asset: 'pg_sales.shop.public.t0',
    entityType: 'table',
    recordedAt: sequence,
    lane: 'lane',
    configRevision: 1,
    traceId: traceOf(sequence),
    ...more,
  };
}

const CLEAN: Found = {
  sources: new Map([[FIELD, 'new']]),
  changes: [
    { sequence: 1, eventId: 'e1', traceId: traceOf(1), objects: [''] },
    { sequence: 2, eventId: 'e2', traceId: traceOf(2), objects: [''] },
  ],
  runs: [run(1), run(2)],
};

/** How many faults of each kind there are. */
function counts(found: Partial<Found>, newest: 'new' | 'cleared' = 'new') {
  const { lost, stale, duplicated, without, wrong } = judge(sessionWith(newest === 'cleared' ? undefined : newest), {
    ...CLEAN,
    ...found,
  });
  return [lost.length, stale.length, duplicated.length, without.length, wrong.length];
}

describe('the judge of a round', () => {
  it('finds nothing where nothing is wrong', () => {
    expect(counts({})).toEqual([0, 0, 0, 0, 0]);
  });

  it('finds an event that was accepted and is not stored, and a value that never arrived', () => {
    expect(counts({ changes: CLEAN.changes.slice(1), runs: [run(2)] })).toEqual([1, 0, 0, 0, 0]);
    expect(counts({ sources: new Map() })).toEqual([1, 0, 0, 0, 0]);
  });

  it('finds an older value', () => {
    expect(counts({ sources: new Map([[FIELD, 'old']]) })).toEqual([0, 1, 0, 0, 0]);
  });

  it('finds a key with two outcomes, whatever they say', () => {
    expect(counts({ runs: [run(1), run(2), run(2, { status: 'unchanged' })] })).toEqual([0, 0, 1, 0, 0]);
    expect(counts({ runs: [run(1), run(2), run(2, { channel: 'other' })] })).toEqual([0, 0, 0, 0, 0]);
  });

  it('finds a change without an outcome, and one without an outcome for something that it touches', () => {
    expect(counts({ runs: [run(2)] })).toEqual([0, 0, 0, 1, 0]);
    expect(counts({ runs: [run(1), run(2, { object: 'a' })] })).toEqual([0, 0, 0, 1, 0]);
  });

  it('finds outcomes that faults must not lead to', () => {
    expect(counts({ runs: [run(1, { status: 'failed' }), run(2)] })).toEqual([0, 0, 0, 0, 1]);
    expect(counts({ runs: [run(1, { status: 'skipped', reason: 'no target' }), run(2)] })).toEqual([0, 0, 0, 0, 1]);
  });

  it('finds a change whose trace nobody began, and an outcome outside the trace of its change', () => {
    const traces = (found: Partial<Found>) => judge(sessionWith('new'), { ...CLEAN, ...found }).traces.length;
    expect(traces({})).toBe(0);
    expect(traces({ runs: [run(1), run(2, { traceId: traceOf(1) })] })).toBe(1);
    const [first, second] = CLEAN.changes;
    if (first === undefined || second === undefined) throw new Error('there are two changes');
    expect(traces({ changes: [first, { ...second, traceId: '' }], runs: [run(1)] })).toBe(1);
  });

  it('accepts a text that still stands only where a doubt is recorded as the reason', () => {
    const stands = { sources: new Map([[FIELD, 'old']]) };
    expect(counts({ ...stands, runs: [run(1), run(2)] }, 'cleared')).toEqual([0, 1, 0, 0, 0]);
    const inDoubt = { status: 'skipped', decidedBy: 'snapshot' } as const;
    expect(counts({ ...stands, runs: [run(1), run(2, inDoubt)] }, 'cleared')).toEqual([0, 0, 0, 0, 0]);
    const bySuccessor = [run(1), run(2, { status: 'superseded', by: 'e3' }), run(3, inDoubt)];
    expect(counts({ ...stands, runs: bySuccessor }, 'cleared')).toEqual([0, 0, 0, 0, 0]);
    const clearedLater = [run(1), run(2, { status: 'superseded', by: 'e3' }), run(3)];
    expect(counts({ ...stands, runs: clearedLater }, 'cleared')).toEqual([0, 1, 0, 0, 0]);
  });
});
