import { describe, expect, it } from 'vitest';
import { owner, streams } from '../../test/support/coalescer-world.ts';
import {
  type SampleEvent,
  sampleChannel,
  sampleConfig,
  sampleEntry,
  sampleHeld,
  T0,
  TARGET,
} from '../../test/support/lane-samples.ts';
import type { FieldResult } from '../lane/asset-work.ts';
import { assetOutcome } from '../outcome-recorder/asset-outcome.ts';
import { takeWork } from './take-work.ts';

const config = { ...sampleConfig([sampleChannel('docs')]), ignoreUsers: new Set(['ingestion-bot']) };

const label = (tagFQN: string) => ({ tagFQN, source: 'Classification', labelType: 'Manual', state: 'Confirmed' });

/** The tags of a table go from one list to another. */
function tagsEvent(sequence: number, from: readonly string[], to: readonly string[], user = 'ana'): SampleEvent {
  const text = (names: readonly string[]) => JSON.stringify(names.map(label));
  return { time: T0 + sequence, user, changes: [['tags', text(from), text(to)]], entity: { tags: to.map(label) } };
}

function retagged(sequence: number, from: readonly string[], to: readonly string[], user?: string, deliveryCount = 1) {
  const held = sampleHeld(sequence, tagsEvent(sequence, from, to, user), config);
  return { ...held, delivery: { ...held.delivery, deliveryCount } };
}

/** The asset after the round in which some changes were decided. */
function entryAfter(changes: readonly ReturnType<typeof retagged>[], result?: FieldResult) {
  const entry = sampleEntry(changes, config);
  const work = takeWork(entry, TARGET, config);
  const outcome = assetOutcome(work, new Map(result === undefined ? [] : [[result.key, result]]), T0);
  entry.ledger.settle(outcome.closed, outcome.settlements);
  for (const { received } of changes) entry.ledger.markSettled(received.sequence);
  return entry;
}

/** What the asset's next change, of another owner, wants to be unset. */
function unsetBy(change: ReturnType<typeof retagged>, entry: ReturnType<typeof entryAfter>) {
  const state = entry.ledger.toSyncState();
  const [field] = takeWork(sampleEntry([change], config, state), TARGET, config).fields;
  const operation = field?.write?.operation;
  return operation?.aspect === 'tags' ? operation.unset : undefined;
}

describe('labels in doubt', () => {
  it('an owner that died may have written what an ignored user then took away: the next change of a person removes it', () => {
    const entry = entryAfter([
      retagged(1, [], ['Layer.Raw'], 'ana', 2),
      retagged(2, ['Layer.Raw'], ['Team.Sales'], 'ingestion-bot', 2),
    ]);
    expect(entry.ledger.settled('tags')).toMatchObject({ mayStand: ['Layer=Raw'] });
    expect(unsetBy(retagged(3, ['Team.Sales'], []), entry)).toEqual([
      { key: 'Team', value: 'Sales' },
      { key: 'Layer', value: 'Raw' },
    ]);
  });

  it('a write that was cut off counts, also where the one who cut it off was an ignored user', async () => {
    const world = streams();
    const lane = owner(world, { config });
    await lane.change(1, 't1', tagsEvent(1, [], ['Layer.Raw']));
    await lane.tell({ type: 'demand', fields: 10 });
    const keys = lane.works.flat().map(({ key }) => key);
    await lane.change(2, 't1', tagsEvent(2, ['Layer.Raw'], [], 'ingestion-bot'));
    await lane.tell({ type: 'returned', keys });
    await lane.tell({ type: 'demand', fields: 10 });
    expect(world.statuses()).toEqual([
      [1, 'e2'],
      [2, 'skipped'],
    ]);
    expect(world.outcomes.at(-1)?.state.fields.tags).toMatchObject({ mayStand: ['Layer=Raw'] });
  });

  it('an owner that died may have taken a copy for the change: its labels may stand, whichever of the two is decided first', () => {
    const copy = (sequence: number, user = 'ana', deliveryCount = 2) => {
      const held = sampleHeld(sequence, { ...tagsEvent(2, [], ['Layer.Raw'], user), id: 'e2' }, config);
      return { ...held, delivery: { ...held.delivery, deliveryCount } };
    };
    const removal = () => retagged(3, ['Layer.Raw'], [], 'ingestion-bot');
    const mayStand = (entry: ReturnType<typeof entryAfter>) => entry.ledger.settled('tags')?.mayStand;
    // The copy is there when the change is decided.
    expect(mayStand(entryAfter([retagged(2, [], ['Layer.Raw']), copy(1), removal()]))).toEqual(['Layer=Raw']);
    // It comes afterwards.
    const decided = entryAfter([retagged(2, [], ['Layer.Raw']), removal()]).ledger.toSyncState();
    expect(mayStand(sampleEntry([copy(1)], config, decided))).toEqual(['Layer=Raw']);
    expect(mayStand(sampleEntry([copy(1, 'ana', 1)], config, decided))).toBeUndefined();
    expect(mayStand(sampleEntry([copy(1, 'ingestion-bot')], config, decided))).toBeUndefined();
  });

  it('nothing that came for the first time, and nothing of an ignored user, may stand', () => {
    const entry = entryAfter([
      retagged(1, [], ['Layer.Raw']),
      retagged(2, ['Layer.Raw'], ['Team.Sales'], 'ingestion-bot', 2),
    ]);
    expect(entry.ledger.settled('tags')).not.toHaveProperty('mayStand');
  });

  it('what was unset, written, or replaced by another value of its key stands no longer', () => {
    const rank = { time: T0, entityId: 'x', version: 0.1, previous: 0, eventId: 'e0' };
    const tags = { tags: ['Layer=Raw'], mayStand: ['Team=Sales', 'Topic=Old', 'Area=North'] };
    const change = retagged(1, [], ['Layer.Gold', 'Team.Sales']);
    const entry = sampleEntry([change], config, { v: 1, base: rank, fields: { tags }, recent: [], settled: [] });
    const work = takeWork(entry, TARGET, config);
    const [field] = work.fields;
    if (field?.write?.operation.aspect !== 'tags') throw new Error('no tags are written');
    const unset = field.write.operation.unset.filter(({ key }) => key !== 'Area');
    const partly = { ...field, write: { ...field.write, operation: { ...field.write.operation, unset } } };
    const result = {
      key: 'tags',
      status: 'applied',
      statements: [],
      notes: [],
      attempts: 1,
      tags: ['Layer=Gold', 'Team=Sales'],
    } as const;
    const outcome = assetOutcome({ ...work, fields: [partly] }, new Map([['tags', result]]), T0);
    entry.ledger.settle(outcome.closed, outcome.settlements);
    expect(entry.ledger.settled('tags')).toMatchObject({
      tags: ['Layer=Gold', 'Team=Sales'],
      mayStand: ['Area=North'],
    });
  });

  it('a failed try leaves all of it in doubt', () => {
    const failure = { class: 'permission', scope: 'object', code: 'denied', message: 'must be owner' } as const;
    const entry = entryAfter([retagged(1, [], ['Layer.Raw'], 'ana', 2)], {
      key: 'tags',
      status: 'failed',
      statements: [],
      notes: [],
      attempts: 1,
      failure,
    });
    expect(unsetBy(retagged(2, ['Layer.Raw'], []), entry)).toEqual([{ key: 'Layer', value: 'Raw' }]);
    expect(entry.ledger.settled('tags')).toMatchObject({ mayStand: ['Layer=Raw'] });
  });
});
