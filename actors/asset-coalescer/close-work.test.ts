import { describe, expect, it } from 'vitest';
import {
  IDENTITY,
  sampleChannel,
  sampleConfig,
  sampleEntry,
  sampleHeld,
  T0,
  TARGET,
} from '../../test/support/lane-samples.ts';
import type { FieldResult } from '../lane/asset-work.ts';
import { admitChange } from './admit-change.ts';
import { acknowledge, closeRound } from './close-work.ts';
import { takePartial } from './partly-recorded.ts';
import { takeWork } from './take-work.ts';

const config = sampleConfig([sampleChannel('docs')]);
const settings = { identity: IDENTITY, configRevision: 1, now: T0 + 1_000, random: () => 0.5, ackFloor: 0 };
const BOTH = {
  changes: [
    ['description', 'a', 'b'],
    ['columns.amount.description', 'c', 'd'],
  ],
} as const;

function result(key: string, status: FieldResult['status'], more: Partial<FieldResult> = {}): FieldResult {
  return { key, status, statements: [], notes: [], attempts: 1, ...more };
}
const COLUMN = 'description:["amount"]';

describe('closeRound', () => {
  it('records each field by itself, and settles a sequence with its last key', () => {
    const acks: number[] = [];
    const entity = { columns: [{ name: 'amount', dataType: 'INT', description: 'd', tags: [] }] };
    const entry = sampleEntry([sampleHeld(7, { ...BOTH, entity }, config, { acks })], config);
    const first = closeRound(
      entry,
      takeWork(entry, TARGET, config),
      [result('description', 'applied', { after: 'b' }), result(COLUMN, 'retry')],
      settings,
    );
    expect(first.message?.items.map(({ object, status }) => [object, status])).toEqual([['', 'applied']]);
    expect(first.message?.settles).toEqual([]);
    expect(first.message?.state.partial).toEqual({ 7: ['description'] });
    expect(entry.attempts.get(COLUMN)).toEqual({ count: 1, firstAt: T0 + 1_000 });
    expect(entry.notBefore).toBe(T0 + 1_000 + 250);

    const work = takeWork(entry, TARGET, config);
    expect(work.fields.map(({ open, attempts }) => [open.key, attempts])).toEqual([[COLUMN, 1]]);
    const failure = { class: 'transient', scope: 'object', code: 'lock', message: 'locked' } as const;
    const second = closeRound(entry, work, [result(COLUMN, 'failed', { failure })], settings);
    expect(second.message?.items).toMatchObject([{ object: 'amount', status: 'failed', failure: { code: 'lock' } }]);
    expect(second.failed).toHaveLength(1);
    expect(second.message?.settles).toEqual([7]);
    expect(second.message?.state.partial).toBeUndefined();
    expect(second.message?.state.settled).toEqual([7]);
    expect(acks).toEqual([]);
    acknowledge(entry, [7]);
    expect(acks).toEqual([7]);
    expect(entry.held.size).toBe(0);
  });

  it('after a crash only the keys that are not recorded are decided again', () => {
    const entity = { columns: [{ name: 'amount', dataType: 'INT', description: 'd', tags: [] }] };
    const entry = sampleEntry([sampleHeld(7, { ...BOTH, entity }, config)], config);
    const { message } = closeRound(
      entry,
      takeWork(entry, TARGET, config),
      [result('description', 'applied'), result(COLUMN, 'retry')],
      settings,
    );
    const next = sampleEntry(
      [sampleHeld(6, { changes: [['votes', '', 'up']], entity }, config)],
      config,
      message?.state,
    );
    takePartial(next, message?.state);
    admitChange(next, sampleHeld(7, { ...BOTH, entity }, config), TARGET, config, T0);
    expect(takeWork(next, TARGET, config).fields.map(({ open }) => open.key)).toEqual([COLUMN]);
  });

  it('hands on the state before the round when the outcome may have to be split', () => {
    const entry = sampleEntry([sampleHeld(7, {}, config)], config);
    const small = closeRound(entry, takeWork(entry, TARGET, config), [result('description', 'applied')], settings);
    expect(small).not.toHaveProperty('previous');
    const other = sampleEntry([sampleHeld(7, {}, config)], config);
    for (let i = 0; i < 300; i += 1) other.superseded.push({ sequence: i, eventId: 'e', object: '', by: 'duplicate' });
    const large = closeRound(other, takeWork(other, TARGET, config), [result('description', 'applied')], settings);
    expect([large.previous?.settled, large.message?.state.settled]).toEqual([[], [7]]);
  });

  it('is silent when everything is tried again', () => {
    const entry = sampleEntry([sampleHeld(7, {}, config)], config);
    const closed = closeRound(entry, takeWork(entry, TARGET, config), [result('description', 'retry')], settings);
    expect(closed.message).toBeUndefined();
    expect(entry.held.has(7)).toBe(true);
  });

  it('a write that was refused with a time to come back is not tried before it', () => {
    const failure = {
      class: 'throttled',
      scope: 'object',
      code: '429',
      message: 'later',
      retryAfterMs: 90_000,
    } as const;
    const entry = sampleEntry([sampleHeld(7, {}, config)], config);
    closeRound(entry, takeWork(entry, TARGET, config), [{ ...result('description', 'retry'), failure }], settings);
    expect(entry.notBefore).toBe(settings.now + 90_000);
  });

  it('a settled sequence leaves the list when the ack floor has passed it', () => {
    const round = (entry: ReturnType<typeof sampleEntry>, ackFloor: number) =>
      closeRound(entry, takeWork(entry, TARGET, config), [], { ...settings, ackFloor }).message?.state;
    const entry = sampleEntry([sampleHeld(7, { changes: [['votes', '', 'up']] }, config)], config);
    expect(round(entry, 0)?.settled).toEqual([7]);
    acknowledge(entry, [7]);
    const next = (sequence: number) => {
      const event = { time: T0 + sequence, changes: [['votes', '', 'up']] as const };
      admitChange(entry, sampleHeld(sequence, event, config), TARGET, config, T0);
    };
    next(8);
    expect(round(entry, 6)?.settled).toEqual([7, 8]);
    acknowledge(entry, [8]);
    next(9);
    expect(round(entry, 7)).toMatchObject({ settled: [8, 9], settledUpTo: { sequence: 7 } });
  });

  it('a change that is known, or touches nothing, is recorded without a write', () => {
    const votes = { changes: [['votes', '', 'up']] as const };
    const entry = sampleEntry([sampleHeld(7, {}, config), sampleHeld(8, { id: 'e7' }, config)], config);
    admitChange(entry, sampleHeld(9, votes, config), TARGET, config, T0);
    const { message } = closeRound(
      entry,
      takeWork(entry, TARGET, config),
      [result('description', 'unchanged')],
      settings,
    );
    expect(message?.superseded).toMatchObject([{ sequence: 8, by: 'duplicate', channel: 'docs' }]);
    expect(message?.items.map(({ sequence, status }) => [sequence, status])).toEqual([
      [9, 'skipped'],
      [7, 'unchanged'],
    ]);
    expect(message?.settles).toEqual([7, 8, 9]);
  });
});
