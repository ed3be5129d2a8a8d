import { describe, expect, it } from 'vitest';
import type { CompiledConfig } from '../../src/config/compiled.ts';
import {
  sampleChannel,
  sampleConfig,
  sampleEntry,
  sampleFilter,
  sampleHeld,
  T0,
  TARGET,
} from '../../test/support/lane-samples.ts';
import type { AssetWork } from '../lane/asset-work.ts';
import type { HeldChange } from '../lane/held-change.ts';
import { needsCatalogue, takeWork } from './take-work.ts';

const docs = sampleChannel('docs', { priority: 2 });
const more = sampleChannel('more', { priority: 1 });

/** The keys of a field with what each ends as, in the order of the sequences. */
function keys(work: AssetWork, field = 'description') {
  return work.fields
    .filter(({ open }) => open.key === field)
    .flatMap(({ verdicts }) =>
      verdicts.flatMap(({ channel, winner, losers, verdict }) => [
        ...losers.map((loser) => [loser.sequence, channel, `superseded by ${winner.eventId}`]),
        [winner.sequence, channel, 'reason' in verdict ? verdict.reason : 'by' in verdict ? verdict.by : verdict.kind],
      ]),
    )
    .sort(([a], [b]) => Number(a) - Number(b));
}

const decide = (changes: readonly HeldChange[], config: CompiledConfig, gone = false): AssetWork =>
  takeWork(sampleEntry(changes, config), TARGET, config, gone);

describe('decideField', () => {
  it('gives every touch one key for each channel: the newest writes, the others are superseded or shadowed', () => {
    const config = sampleConfig([docs, more]);
    const work = decide([sampleHeld(1, { time: T0 + 1 }, config), sampleHeld(2, { time: T0 + 2 }, config)], config);
    expect(keys(work)).toEqual([
      [1, 'docs', 'superseded by e2'],
      [1, 'more', 'superseded by e2'],
      [2, 'docs', 'writes'],
      [2, 'more', 'shadowed by channel docs'],
    ]);
    expect(work.fields[0]?.write?.operation).toMatchObject({ aspect: 'description', text: 'new', previous: 'old' });
  });

  it('skips changes of ignored users and settles no more than the change itself', () => {
    const config = sampleConfig([docs]);
    const bot = sampleHeld(1, { time: T0 + 1, user: 'ingestion-bot' }, config);
    // A newer state is known, and who made it may still come.
    const later = sampleHeld(2, { time: T0 + 9, changes: [['owners', '[]', '[]']] }, config);
    const work = decide([bot, later], config);
    expect(keys(work)).toEqual([[1, 'docs', 'changes of ingestion-bot are not written back']]);
    expect(work.fields.find(({ open }) => open.key === 'description')?.settlement.rank.time).toBe(T0 + 1);
  });

  it('settles no more than the change itself when it is superseded, whatever newer state is at hand', () => {
    const config = sampleConfig([docs]);
    const settled = sampleHeld(3, { time: T0 + 5 }, config);
    const settledRank = decide([settled], config).fields[0]?.settlement.rank;
    if (settledRank === undefined) throw new Error('the first change settles a rank');
    const state = { v: 1 as const, fields: { description: { rank: settledRank } }, recent: [], settled: [] };
    // A newer snapshot is known; the change between, which made its description, is still to come.
    const newer = sampleHeld(4, { time: T0 + 9, changes: [['owners', '[]', '[]']] }, config);
    const older = sampleHeld(5, { time: T0 + 1 }, config);
    const work = takeWork(sampleEntry([newer, older], config, state), TARGET, config, false);
    expect(keys(work)).toEqual([[5, 'docs', settledRank.eventId]]);
    expect(work.fields.find(({ open }) => open.key === 'description')?.settlement.rank.time).toBe(T0 + 1);
  });

  it('writes what only shows in the snapshot of an ignored user: somebody else did it', () => {
    const config = sampleConfig([docs]);
    const entry = sampleEntry([sampleHeld(1, { time: T0 + 1 }, config)], config);
    const [open] = entry.ledger.open();
    if (open === undefined) throw new Error('nothing is open');
    entry.ledger.settle([open.winner], [{ key: open.key, rank: open.winner.rank, hash: 'of another text' }]);
    const again = sampleEntry(
      [sampleHeld(2, { time: T0 + 2, user: 'ingestion-bot', changes: [['tags', '[]', '[]']] }, config)],
      config,
      entry.ledger.toSyncState(),
    );
    expect(keys(takeWork(again, TARGET, config))).toEqual([[2, 'docs', 'writes']]);
  });

  it('a channel that went away ends its open keys, the others go on', () => {
    const before = sampleConfig([docs, more]);
    const after = sampleConfig([more], { revision: 2 });
    const entry = sampleEntry([sampleHeld(1, {}, before)], before);
    expect(keys(takeWork(entry, TARGET, after))).toEqual([
      [1, 'docs', 'channel removed: docs'],
      [1, 'more', 'writes'],
    ]);
    const none = sampleConfig([], { revision: 3 });
    expect(keys(takeWork(entry, TARGET, none))).toEqual([
      [1, 'docs', 'channel removed: docs'],
      [1, 'more', 'channel removed: more'],
    ]);
  });

  it('a replay for one channel decides the keys of that channel only', () => {
    const config = sampleConfig([docs, more]);
    const headers = { 'backflow-replay-channel': 'more', 'backflow-replay-of': 'e0' };
    expect(keys(decide([sampleHeld(1, {}, config, { headers })], config))).toEqual([
      [1, 'more', 'shadowed by channel docs'],
    ]);
    const gone = { 'backflow-replay-channel': 'old', 'backflow-replay-of': 'e0' };
    expect(keys(decide([sampleHeld(1, {}, config, { headers: gone })], config))).toEqual([
      [1, 'old', 'channel removed: old'],
    ]);
  });

  it('a change that enters a filter touches for that channel alone; when the channel goes, its keys still end', () => {
    const entering = sampleChannel('pii', {
      filter: sampleFilter((state) => state.displayName === 'now'),
      update: new Set(['description']),
    });
    const config = sampleConfig([entering]);
    const event = { changes: [['displayName', 'before', 'now']] as const, entity: { displayName: 'now' } };
    const entry = sampleEntry([sampleHeld(1, event, config)], config);
    expect(keys(takeWork(entry, TARGET, config))).toEqual([[1, 'pii', 'writes']]);
    expect(keys(takeWork(entry, TARGET, sampleConfig([docs], { revision: 2 })))).toEqual([
      [1, 'pii', 'channel removed: pii'],
    ]);
  });

  it('an older change ends superseded by what settled the field', () => {
    const config = sampleConfig([docs]);
    const entry = sampleEntry([sampleHeld(1, { time: T0 + 9 }, config)], config);
    const [open] = entry.ledger.open();
    if (open === undefined) throw new Error('nothing is open');
    entry.ledger.settle([open.winner], [{ key: open.key, rank: open.winner.rank }]);
    const late = sampleEntry([sampleHeld(2, { time: T0 + 5 }, config)], config, entry.ledger.toSyncState());
    expect(keys(takeWork(late, TARGET, config))).toEqual([[2, 'docs', 'e1']]);
  });

  it('a deletion wins over what is pending and writes nothing', () => {
    const config = sampleConfig([docs]);
    const deletion = { time: T0 + 5, eventType: 'entitySoftDeleted', entity: { deleted: true } };
    const work = decide([sampleHeld(1, {}, config), sampleHeld(2, deletion, config)], config);
    expect(keys(work)).toEqual([
      [1, 'docs', 'superseded by e2'],
      [2, 'docs', 'the entity was deleted; the source is left as it is'],
    ]);
    expect(work.fields.every(({ write }) => write === undefined)).toBe(true);
  });

  it('a deletion settles no more than itself, whatever newer state is at hand: the restored entity is still written', () => {
    const config = sampleConfig([docs]);
    const deletion = { time: T0 + 5, eventType: 'entitySoftDeleted', entity: { deleted: true } };
    // What followed the restoration came before it.
    const later = sampleHeld(3, { time: T0 + 9, changes: [['owners', '[]', '[]']] }, config);
    const entry = sampleEntry([sampleHeld(1, {}, config), sampleHeld(2, deletion, config), later], config);
    const field = takeWork(entry, TARGET, config, false).fields.find(({ open }) => open.key === 'description');
    expect(field?.settlement).toEqual({ key: 'description', rank: expect.objectContaining({ time: T0 + 5 }) });
  });

  it('a deletion is no news when the catalogue was asked since and knows the entity: that was restored', () => {
    const config = sampleConfig([docs]);
    const deletion = { time: T0 + 5, eventType: 'entitySoftDeleted', entity: { deleted: true } };
    const entry = sampleEntry([sampleHeld(1, {}, config), sampleHeld(2, deletion, config)], config);
    const read = entry.ledger.newest();
    if (read === undefined) throw new Error('the changes carry the entity');
    entry.ledger.refresh({ ...read, description: 'restored', deleted: false }, T0 + 60);
    const work = takeWork(entry, TARGET, config, false);
    expect(keys(work)).toEqual([
      [1, 'docs', 'superseded by e2'],
      [2, 'docs', 'writes'],
    ]);
    expect(work.fields[0]?.write?.operation).toMatchObject({ text: 'restored' });
  });

  it('an undo of an ignored user, placed by a guess, does not silence the others once the catalogue was asked', () => {
    const config = sampleConfig([docs]);
    const edit = sampleHeld(1, { time: T0 + 1 }, config);
    const told = { changedAt: T0 + 9, changedBy: 'ingestion-bot' };
    const undo = { time: T0 - 9, user: 'ingestion-bot', undoes: 1.001, summary: { description: told } };
    const entry = sampleEntry([edit, sampleHeld(2, undo, config)], config);
    const read = entry.ledger.newest();
    if (read === undefined) throw new Error('the changes carry the entity');
    const skipped = [2, 'docs', 'changes of ingestion-bot are not written back'];
    expect(keys(takeWork(entry, TARGET, config, false))).toEqual([[1, 'docs', 'superseded by e2'], skipped]);
    entry.ledger.refresh({ ...read, description: 'the edit' }, T0 + 60);
    const work = takeWork(entry, TARGET, config, false);
    expect(keys(work)).toEqual([[1, 'docs', 'writes'], skipped]);
    expect(work.fields[0]?.write?.operation).toMatchObject({ text: 'the edit' });
    expect(work.fields[0]?.settlement.rank.time).toBe(T0 + 60);
  });

  it('nor does what such an undo brings into a filter', () => {
    const config = sampleConfig([docs]);
    const edit = sampleHeld(1, { time: T0 + 1, changes: [['tags', '[]', '[]']] }, config);
    const told = { changedAt: T0 + 9, changedBy: 'ingestion-bot' };
    const undo = { time: T0 - 9, user: 'ingestion-bot', undoes: 1.001, summary: { description: told } };
    const entry = sampleEntry([edit, sampleHeld(2, undo, config)], config);
    entry.ledger.touch(2, { aspect: 'tags' }, 'docs');
    const read = entry.ledger.newest();
    if (read === undefined) throw new Error('the changes carry the entity');
    entry.ledger.refresh(read, T0 + 60);
    expect(keys(takeWork(entry, TARGET, config, false), 'tags')).toEqual([
      [1, 'docs', 'writes'],
      [2, 'docs', 'changes of ingestion-bot are not written back'],
    ]);
  });

  it('settles no more than the change itself where a newer state is empty and nobody is known to have cleared it', () => {
    const config = sampleConfig([docs]);
    const restored = { time: T0 + 1, eventType: 'entityRestored', changes: [['deleted', true, false]] as const };
    // What cleared it in between is still to come.
    const newer = { time: T0 + 9, changes: [['owners', '[]', '[]']] as const, entity: { description: undefined } };
    const work = decide([sampleHeld(2, newer, config), sampleHeld(1, restored, config)], config);
    expect(keys(work)[0]?.[2]).toContain('no change is known to have cleared it');
    const settlement = work.fields.find(({ open }) => open.key === 'description')?.settlement;
    expect(settlement?.rank.time).toBe(T0 + 1);
  });

  it('an entity that the catalogue no longer knows, an event without an entity, an aspect that nobody writes', () => {
    const config = sampleConfig([docs]);
    expect(keys(decide([sampleHeld(1, {}, config)], config, true))).toEqual([
      [1, 'docs', 'entity gone: the catalogue no longer knows it'],
    ]);
    expect(keys(decide([sampleHeld(1, { withoutEntity: true }, config)], config))).toEqual([
      [1, 'docs', 'the event carries no entity, and no catalogue address is configured to ask'],
    ]);
    const tagsOnly = sampleConfig([sampleChannel('tags', { update: new Set(['tags']) })]);
    expect(keys(decide([sampleHeld(1, {}, tagsOnly)], tagsOnly))).toEqual([
      [1, undefined, `no channel of ${TARGET} writes description at this level`],
    ]);
  });

  it('a tag that leaves the filter is taken away by the channel that it left, also when a newer change coalesces', () => {
    const tag = (name: string) => ({ tagFQN: name, source: 'Classification', labelType: 'Manual', state: 'Confirmed' });
    const channel = sampleChannel('pii', {
      filter: sampleFilter((state) => state.tags?.some(({ tagFQN }) => tagFQN === 'PII.Sensitive') ?? false, true),
      update: new Set(['tags']),
    });
    const config = sampleConfig([channel]);
    const removed = sampleHeld(
      1,
      { time: T0 + 1, changes: [['tags', JSON.stringify([tag('PII.Sensitive')]), '[]']], entity: { tags: [] } },
      config,
    );
    const added = sampleHeld(
      2,
      {
        time: T0 + 2,
        changes: [['tags', '[]', JSON.stringify([tag('Tier.Gold')])]],
        entity: { tags: [tag('Tier.Gold')] },
      },
      config,
    );
    const [field] = decide([removed, added], config).fields;
    expect(field?.write?.operation).toMatchObject({ unset: [{ key: 'PII', value: 'Sensitive' }], desired: [] });
  });

  it('a tag that came, and that a newer change no longer has, is taken away: an owner that died may have written it', () => {
    const tag = (name: string) => ({ tagFQN: name, source: 'Classification', labelType: 'Manual', state: 'Confirmed' });
    const config = sampleConfig([docs]);
    const change = (sequence: number, name: string) => {
      const changes = [['tags', '[]', JSON.stringify([tag(name)])]] as const;
      return sampleHeld(sequence, { time: T0 + sequence, changes, entity: { tags: [tag(name)] } }, config);
    };
    // What took the first one away in between is still to come.
    const work = decide([change(1, 'Team.Sales'), change(2, 'Layer.Gold')], config);
    expect(work.fields.find(({ open }) => open.key === 'tags')?.write?.operation).toMatchObject({
      desired: [{ key: 'Layer', value: 'Gold' }],
      unset: [{ key: 'Team', value: 'Sales' }],
    });
  });

  it('a tag that came and went within one decision is taken away: an owner that died may have written it', () => {
    const pii = { tagFQN: 'PII.Sensitive', source: 'Classification', labelType: 'Manual', state: 'Confirmed' };
    const channel = sampleChannel('pii', {
      filter: sampleFilter((state) => state.tags?.some(({ tagFQN }) => tagFQN === 'PII.Sensitive') ?? false, true),
      update: new Set(['tags']),
    });
    const config = sampleConfig([channel]);
    const list = JSON.stringify([pii]);
    const came = sampleHeld(1, { time: T0 + 1, changes: [['tags', '[]', list]], entity: { tags: [pii] } }, config);
    const went = sampleHeld(2, { time: T0 + 2, changes: [['tags', list, '[]']], entity: { tags: [] } }, config);
    const [field] = decide([came, went], config).fields;
    expect(field?.write?.operation).toMatchObject({ unset: [{ key: 'PII', value: 'Sensitive' }], desired: [] });
  });

  it('a filter that asks for tags which no event carries is in doubt: the catalogue is asked, else the outcome says so', () => {
    const channel = sampleChannel('pii', { filter: sampleFilter(() => true, true) });
    const config = sampleConfig([channel]);
    const entry = sampleEntry([sampleHeld(1, { entity: { tags: undefined } }, config)], config);
    const observe = {
      outcome: () => undefined,
      deadLetter: () => undefined,
      limiterWait: () => undefined,
      target: () => undefined,
      progress: () => undefined,
    };
    const unused = (): Promise<never> => Promise.reject(new Error('not used'));
    const store = {
      lastOutcomes: unused,
      recordOutcome: unused,
      recordBulk: unused,
      settledInBulk: unused,
      recordDeadLetter: unused,
      changeBody: unused,
      parking: { park: unused, parkedChanges: unused, unpark: unused, listParked: unused },
      fetchObject: unused,
    };
    const ports = { store, connect: unused, observe };
    expect(needsCatalogue(entry, TARGET, config, { ...ports, catalogue: { read: unused } })).toBe(true);
    expect(needsCatalogue(entry, TARGET, config, ports)).toBe(false);
    expect(takeWork(entry, TARGET, config).fields[0]?.decidedBy).toBe('snapshot');
  });
});
