import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AssetCache } from '../../actors/asset-coalescer/asset-cache.ts';
import { makeResident } from '../../actors/asset-coalescer/load-assets.ts';
import { assetKey } from '../../src/domain/asset.ts';
import type { OutcomeItem, OutcomeMessage } from '../../src/domain/outcome.ts';
import { parseOutcomeMessage } from '../../src/domain/parse-outcome.ts';
import type { Rank } from '../../src/domain/rank.ts';
import { outcomeSubject } from '../../src/domain/subjects.ts';
import type { SyncState } from '../../src/domain/sync-state.ts';
import { readRuns } from '../../src/service/history.ts';
import { createLaneStore } from '../../src/service/lane-store.ts';
import { connectNats, type NatsLink } from '../../streams/nats/connection.ts';
import { createPublisher } from '../../streams/nats/publisher.ts';
import { getBySequence, getLast } from '../../streams/nats/stored-messages.ts';
import { ensureTopology } from '../../streams/nats/topology.ts';
import { sampleChannel, sampleConfig, sampleHeld, TARGET } from '../support/lane-samples.ts';
import { type NatsServer, startNatsServer } from '../support/nats-server.ts';
import { until } from '../support/until.ts';

const COLUMNS = 3_000;
const config = sampleConfig([sampleChannel('docs')]);
const held = sampleHeld(1, {}, config);
const subject = outcomeSubject(TARGET, assetKey(held.asset));

let nats: NatsServer;
let link: NatsLink;
const troubles: string[] = [];

beforeAll(async () => {
  nats = await startNatsServer();
  link = await connectNats({ servers: nats.url, name: 'outcome objects' });
  await ensureTopology(link);
});

afterAll(async () => {
  await link?.close();
  await nats?.stop();
});

const newStore = () =>
  createLaneStore({
    link,
    publisher: createPublisher(link, { maxMessages: 512, maxBytes: 16 * 1024 * 1024 }),
    target: TARGET,
    partition: 0,
    partitions: 1,
    valid: () => true,
    onTrouble: (message) => void troubles.push(message),
  });

const rank = (time: number): Rank => ({ time, entityId: 'entity-1', version: 1, previous: 0.9, eventId: `e${time}` });

/** The state of a table with very many columns, every one settled at a time of its own. */
function wideState(time: number): SyncState {
  const columns = Array.from({ length: COLUMNS }, (_, i) => [
    `description/column_${i}`,
    { rank: rank(time + i), hash: `hash${i}`, written: `hash${i}` },
  ]);
  return { v: 1, newestSeen: time + COLUMNS, fields: Object.fromEntries(columns), recent: [], settled: [time] };
}

function outcome(state: SyncState, items: readonly OutcomeItem[] = []): OutcomeMessage {
  return {
    v: 1,
    id: randomUUID(),
    target: TARGET,
    asset: { ...held.asset, key: held.key },
    at: 1,
    lane: 'lane-pg_sales-0of1',
    epoch: 1,
    configRevision: 1,
    items,
    superseded: [],
    settles: [1],
    state,
  };
}

/** Records after whatever stands there, and gives the place. */
async function record(message: OutcomeMessage, previous = message.state): Promise<number> {
  const last = await getLast(link, 'OUTCOMES', subject);
  const answer = await newStore().recordOutcome(subject, message, last?.sequence ?? 0, previous);
  if (answer.kind !== 'recorded') throw new Error(answer.kind);
  return answer.sequence;
}

/** The state that a lane begins with, which has not met the asset before. */
async function loadedState(): Promise<SyncState | undefined> {
  const cache = new AssetCache(100_000_000);
  const store = newStore();
  await makeResident(cache, held, TARGET, await store.lastOutcomes([subject]), store);
  return cache.get(held.key)?.ledger.toSyncState();
}

async function stored(sequence: number) {
  const message = await getBySequence(link, 'OUTCOMES', sequence);
  const parsed = message === undefined ? undefined : parseOutcomeMessage(message.data);
  if (message === undefined || parsed === undefined) throw new Error('no outcome there');
  return { bytes: message.data.length, parsed };
}

const objects = async (filter: string): Promise<Record<string, number>> =>
  (await link.jsm.streams.info('OBJECTS', { subjects_filter: filter })).state.subjects ?? {};

describe('what is too large for an outcome message', () => {
  it('keeps the state of 3,000 columns beside the message, and a lane loads it whole', async () => {
    const state = wideState(1_000);
    expect(JSON.stringify(state).length).toBeGreaterThan(300_000);
    const { bytes, parsed } = await stored(await record(outcome(state)));
    expect(bytes).toBeLessThan(4_096);
    expect(parsed.state).toMatchObject({ fields: {}, floor: rank(1_000 + COLUMNS - 1), settled: [1_000] });
    const loaded = await loadedState();
    expect(Object.keys(loaded?.fields ?? {})).toHaveLength(COLUMNS);
    expect(loaded?.fields['description/column_7']).toMatchObject({ hash: 'hash7', rank: { time: 1_007 } });
  });

  it('removes the state that a new one has replaced, once the new outcome stands', async () => {
    await record(outcome(wideState(2_000)));
    await record(outcome(wideState(3_000)));
    await until(async () => Object.values(await objects('object.state.>')).join() === '1');
    expect((await loadedState())?.fields['description/column_7']).toMatchObject({ rank: { time: 3_007 } });
  });

  it('is left behind by an owner that died before its outcome stood, and goes with the next one', async () => {
    // A place that nobody expects: the state is stored, the outcome is refused.
    const lost = await newStore().recordOutcome(subject, outcome(wideState(9_000)), 0, wideState(1));
    expect(lost.kind).toBe('outdated');
    expect((await loadedState())?.fields['description/column_7']).toMatchObject({ rank: { time: 3_007 } });
    await record(outcome(wideState(4_000)));
    await until(async () => Object.values(await objects('object.state.>')).join() === '1');
    expect((await loadedState())?.fields['description/column_7']).toMatchObject({ rank: { time: 4_007 } });
  });

  it('P2 a state that was lost lets no value go back', async () => {
    const sequence = await record(outcome(wideState(5_000)));
    const { parsed } = await stored(sequence);
    await link.jsm.streams.deleteMessage('OBJECTS', parsed.stateObject?.sequences[0] ?? 0);
    const loaded = await loadedState();
    expect(loaded).toMatchObject({ fields: {}, floor: rank(5_000 + COLUMNS - 1), settled: [5_000] });
    expect(troubles.at(-1)).toMatch(/state.*gone from OBJECTS/);
  });

  it('stays below 256 KB in every part of a large outcome, each with the state that holds then', async () => {
    const items = Array.from({ length: 300 }, (_, i): OutcomeItem => {
      const text = `${i} ${'ü'.repeat(9_000)}`;
      return {
        sequence: 7,
        eventId: 'e7',
        channel: 'docs',
        aspect: 'description',
        object: `column_${i}`,
        status: 'applied',
        before: text,
        after: `new ${text}`,
        statements: [`COMMENT ON COLUMN t.column_${i} IS 'new ${text}'`],
      };
    });
    const first = (await getLast(link, 'OUTCOMES', subject))?.sequence ?? 0;
    const last = await record(outcome(wideState(7_000), items), wideState(6_000));
    expect(last - first).toBeGreaterThan(1);
    // None of them pushes another one out.
    expect(last - first).toBeLessThan(25);
    for (let sequence = first + 1; sequence <= last; sequence += 1) {
      const { bytes, parsed } = await stored(sequence);
      expect(bytes).toBeLessThan(256 * 1024);
      expect(parsed.state.floor?.time).toBe((sequence === last ? 7_000 : 6_000) + COLUMNS - 1);
      expect(parsed.settles).toEqual(sequence === last ? [1] : []);
      for (const { after } of parsed.items) expect(after).toMatch(/^new \d+ ü{240,256}… \(cut; 900\d characters/);
    }
    expect(Object.keys((await loadedState())?.fields ?? {})).toHaveLength(COLUMNS);

    const query = { limit: 300, target: TARGET, eventId: 'e7' };
    const short = await readRuns(link, query);
    expect(short.every(({ after }) => (after?.length ?? 0) < 500)).toBe(true);
    const whole = await readRuns(link, { ...query, whole: true });
    expect(whole).toHaveLength(300);
    for (const run of whole) {
      const item = items.find(({ object }) => object === run.object);
      expect(run).toMatchObject({ before: item?.before, after: item?.after, statements: item?.statements });
    }
  });
});
