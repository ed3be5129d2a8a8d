import { describe, expect, it } from 'vitest';
import { createLedger } from '../../src/domain/asset-ledger.ts';
import type { OutcomeMessage } from '../../src/domain/outcome.ts';
import type { SyncState } from '../../src/domain/sync-state.ts';
import { splitOutcome } from '../../src/service/split-outcome.ts';
import { IDENTITY, sampleChannel, sampleConfig, sampleHeld, T0, TARGET } from '../../test/support/lane-samples.ts';
import type { HeldChange } from '../lane/held-change.ts';
import { admitChange } from './admit-change.ts';
import { newEntry } from './asset-entry.ts';
import { closeRound } from './close-work.ts';
import { takePartial } from './partly-recorded.ts';
import { takeWork } from './take-work.ts';

const config = sampleConfig([sampleChannel('docs', { priority: 1 }), sampleChannel('extra')]);
const settings = { identity: IDENTITY, configRevision: 1, now: T0 + 1_000, random: () => 0.5, ackFloor: 0 };
const EMPTY: SyncState = { v: 1, fields: {}, recent: [], settled: [] };

const COLUMNS = Array.from({ length: 12 }, (_, i) => `c${i}`);

/** Changes of twelve columns, one that is delivered under two sequences, and one that touches nothing. */
function changes(): readonly HeldChange[] {
  const columns = COLUMNS.map((name) => ({ name, dataType: 'INT', tags: [], description: `new ${name}` }));
  const diff = COLUMNS.map((name) => [`columns.${name}.description`, 'old', `new ${name}`] as const);
  return [
    sampleHeld(1, { time: T0 + 1, changes: diff, entity: { columns } }, config),
    sampleHeld(2, { id: 'e1', time: T0 + 1, changes: diff, entity: { columns } }, config),
    sampleHeld(3, { time: T0 + 3, changes: [['votes', '', 'up']], entity: { columns } }, config),
  ];
}

/** What an owner that begins with this state records of the changes, everything at once. */
function decide(state: SyncState): OutcomeMessage {
  const held = changes();
  const [{ asset, key } = { asset: { entityType: 'table', fqn: '' } as const, key: '' }] = held;
  const entry = newEntry(asset, key, 'outcome.sample', createLedger(asset, state));
  takePartial(entry, state);
  for (const change of held) admitChange(entry, change, TARGET, config, T0 + 200);
  const work = takeWork(entry, TARGET, config);
  const results = work.fields.map(
    ({ open }) => ({ key: open.key, status: 'applied', statements: [], notes: [], attempts: 1 }) as const,
  );
  const { message } = closeRound(entry, work, results, settings);
  if (message === undefined) throw new Error('nothing was decided');
  return message;
}

const keysOf = (messages: readonly OutcomeMessage[]) =>
  messages
    .flatMap(({ items, superseded }) => [...items, ...superseded])
    .map(({ sequence, channel, aspect, object }) => JSON.stringify([sequence, channel, aspect, object]))
    .sort();

describe('an outcome in parts', () => {
  it('records each key once and settles each change, after whichever part its owner dies', () => {
    const whole = decide(EMPTY);
    expect(whole.settles).toEqual([1, 2, 3]);
    // Two changes of twelve columns for two channels, and one that touches nothing.
    expect(keysOf([whole])).toHaveLength(2 * 12 * 2 + 1);
    const parts = splitOutcome(whole, { state: EMPTY }, 6_000);
    expect(parts.length).toBeGreaterThan(2);
    for (let died = 1; died < parts.length; died += 1) {
      const before = parts.slice(0, died);
      const rest = decide(before.at(-1)?.state ?? EMPTY);
      expect(keysOf([...before, rest])).toEqual(keysOf([whole]));
      expect(rest.settles).toEqual([1, 2, 3]);
      expect(rest.state.partial).toBeUndefined();
    }
  });
});
