import type pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { assetKey, slotOf } from '../../src/domain/asset.ts';
import { formatFqn } from '../../src/domain/fqn.ts';
import { BUCKETS, changeSubject, STREAMS } from '../../src/domain/subjects.ts';
import { readDeadLetters } from '../../src/service/history.ts';
import { readLanes } from '../../src/service/lane-record.ts';
import { connectNats } from '../../streams/nats/connection.ts';
import { openBucket } from '../../streams/nats/kv-bucket.ts';
import { ensureTopology } from '../../streams/nats/topology.ts';
import { keysTwice } from '../support/keys-twice.ts';
import { type NatsServer, startNatsServer } from '../support/nats-server.ts';
import { onPostgres } from '../support/on-postgres.ts';
import { type PostgresServer, startPostgres } from '../support/postgres-server.ts';
import { createTables, postgresTarget, tableComments } from '../support/shop-database.ts';
import { startTestService, type TestService } from '../support/test-service.ts';
import { descriptionEvent } from '../support/traced-changes.ts';
import { until } from '../support/until.ts';

const TABLES = 60;

describe('the lane on a real nats-server and a real PostgreSQL', () => {
  let nats: NatsServer;
  let postgres: PostgresServer;
  let replicas: TestService[] = [];

  beforeAll(async () => {
    postgres = await startPostgres();
    await createTables(postgres, TABLES);
  });

  beforeEach(async () => {
    nats = await startNatsServer();
  });

  afterEach(async () => {
    await Promise.all(replicas.splice(0).map((replica) => replica.stop()));
    await nats.stop();
  });

  afterAll(() => postgres?.stop());

  const onShop = <T>(work: (client: pg.Client) => Promise<T>): Promise<T> => onPostgres(postgres, 'shop', work);
  const comments = () => tableComments(postgres);

  const configOf = (channels: readonly string[]) => `targets:
${postgresTarget(postgres)}channels:
${channels.map((name) => `  - { name: ${name}, update: { descriptions: true, tags: false, owners: false } }`).join('\n')}
`;

  async function start(phase = 'running', config = configOf(['docs'])): Promise<TestService> {
    const replica = await startTestService({ natsUrl: nats.url, config });
    replicas.push(replica);
    await replica.lanes(phase);
    return replica;
  }

  async function stop(replica: TestService): Promise<void> {
    replicas = replicas.filter((other) => other !== replica);
    await replica.stop();
  }

  const eventFor = (table: string, text: string) => descriptionEvent(['pg_sales', 'shop', 'public', table], text);

  /** The edits of a burst: every table several times, the newest last. */
  const burst = (tables: number, edits: number, mark: string) =>
    Array.from({ length: edits }, (_, edit) =>
      Array.from({ length: tables }, (_, i) => eventFor(`t${i}`, `${mark} ${i}.${edit}`)),
    ).flat();

  async function expectNewest(tables: number, mark: string, edit: number): Promise<void> {
    const found = await comments();
    for (let i = 0; i < tables; i += 1) expect(found.get(`t${i}`)).toBe(`${mark} ${i}.${edit}`);
  }

  const lettersOf = (replica: TestService) => readDeadLetters(replica.service.link, { limit: 1_000 });

  it('P1 P2 a burst of edits: the newest value stands in every table, and each key has one outcome', async () => {
    const replica = await start();
    const events = burst(TABLES, 4, 'burst');
    await replica.postAll(events);
    const runs = await replica.outcomes(events.map(({ id }) => id));
    expect(keysTwice(runs)).toEqual([]);
    expect(runs.length).toBe(events.length);
    expect(runs.filter(({ status }) => !['applied', 'superseded'].includes(status))).toEqual([]);
    expect(runs.every((run) => run.timings === undefined || Number.isInteger(run.timings.settledAt))).toBe(true);
    await expectNewest(TABLES, 'burst', 3);
    await until(async () => (await replica.service.lanes.rows()).every((row) => row.pending === 0 && row.held === 0));
  });

  it('P4 a target that is away: nothing is dead-lettered, the newest value wins when it is back', async () => {
    const replica = await start();
    await postgres.crash();
    const events = burst(20, 3, 'away');
    try {
      await replica.postAll(events);
      await until(async () => (await replica.service.lanes.rows()).some((row) => row.target_state === 'down'));
    } finally {
      await postgres.restart();
    }
    const runs = await replica.outcomes(
      events.map(({ id }) => id),
      60_000,
    );
    expect(keysTwice(runs)).toEqual([]);
    expect(new Set(runs.map(({ status }) => status))).toEqual(new Set(['applied', 'superseded']));
    expect(await lettersOf(replica)).toEqual([]);
    await expectNewest(20, 'away', 2);
    // What came while the target was away coalesced.
    expect(runs.filter(({ status }) => status === 'applied').length).toBeLessThan(events.length);
  });

  it('P4 a locked table waits and is tried again; the others go on', async () => {
    const replica = await start();
    const locked = eventFor('t0', 'after the lock');
    const others = burst(20, 1, 'beside').slice(1);
    await onShop(async (client) => {
      await client.query('BEGIN');
      await client.query('LOCK TABLE t0 IN ACCESS EXCLUSIVE MODE');
      await replica.postAll([locked, ...others]);
      await replica.outcomes(others.map(({ id }) => id));
      expect((await replica.runs()).filter((run) => run.eventId === locked.id)).toEqual([]);
      await client.query('COMMIT');
    });
    const [run, ...more] = await replica.outcomes([locked.id], 60_000);
    expect(more).toEqual([]);
    expect(run?.status).toBe('applied');
    expect((await comments()).get('t0')).toBe('after the lock');
  }, 90_000);

  it('a table that does not exist ends failed with a dead letter that holds the change', async () => {
    const replica = await start();
    const event = eventFor('nowhere', 'a text');
    await replica.post(event.body);
    const [run] = await replica.outcomes([event.id]);
    expect(run).toMatchObject({ status: 'failed', failure: { class: 'not_found' } });
    const letters = await lettersOf(replica);
    expect(letters.map(({ letter }) => letter)).toMatchObject([
      { eventId: event.id, sequence: run?.sequence, channel: 'docs', aspect: 'description' },
    ]);
    expect(letters[0]?.letter.body).toContain(event.id);
  });

  it('paused: nothing is written; resumed: everything is, once', async () => {
    const replica = await start();
    const before = eventFor('t1', 'before the pause');
    await replica.post(before.body);
    await replica.outcomes([before.id]);
    await replica.service.lanes.pause('pg_sales', true);
    await replica.lanes('paused');
    const events = burst(10, 2, 'paused');
    await replica.postAll(events);
    await until(async () => (await replica.service.lanes.rows()).some((row) => row.pending === events.length));
    expect((await comments()).get('t1')).toBe('before the pause');
    await replica.service.lanes.pause('pg_sales', false);
    const runs = await replica.outcomes(
      events.map(({ id }) => id),
      60_000,
    );
    expect(keysTwice(runs)).toEqual([]);
    await expectNewest(10, 'paused', 1);
  }, 90_000);

  it('P7 a stop in the middle of a burst: the next replica finishes it, nothing is lost, no key has two outcomes', async () => {
    const first = await start();
    const events = burst(TABLES, 4, 'handed over');
    await first.postAll(events);
    await until(async () => (await first.runs()).length > 0);
    await stop(first);
    const second = await start();
    const runs = await second.outcomes(
      events.map(({ id }) => id),
      60_000,
    );
    expect(keysTwice(runs)).toEqual([]);
    expect(runs.length).toBe(events.length);
    await expectNewest(TABLES, 'handed over', 3);
  }, 90_000);

  it('a channel that is removed: its open items end so, and the rest goes on under the new configuration', async () => {
    const replica = await start('running', configOf(['docs', 'extra']));
    await postgres.crash();
    const event = eventFor('t2', 'for a channel that goes');
    try {
      await replica.post(event.body);
      await until(async () => (await replica.service.lanes.rows()).some((row) => row.held > 0));
      await replica.apply(configOf(['extra']));
    } finally {
      await postgres.restart();
    }
    const runs = await replica.outcomes([event.id], 60_000);
    expect(keysTwice(runs)).toEqual([]);
    const of = (channel: string) => runs.filter((run) => run.channel === channel);
    expect(of('docs')).toMatchObject([{ status: 'skipped', reason: 'channel removed: docs' }]);
    expect(of('extra')).toMatchObject([{ status: 'applied' }]);
    expect((await comments()).get('t2')).toBe('for a channel that goes');
  });

  it.each([
    { data: { unclean: true }, messages: 2 },
    { data: {}, messages: 1 },
  ])(
    'P8 after an owner that left $data: $messages messages, the first of them empty, before which no late one can come',
    async ({ data, messages }) => {
      const link = await connectNats({ servers: nats.url, name: 'test' });
      await ensureTopology(link);
      const record = { owner: 'before', holder: 'h', released: true, beat: 1, data };
      await openBucket(link, BUCKETS.leases).put('lane-pg_sales-0of1', JSON.stringify(record));
      await link.close();
      const replica = await start();
      const event = eventFor('t3', `after ${JSON.stringify(data)}`);
      await replica.post(event.body);
      await replica.outcomes([event.id]);
      const { state } = await replica.service.link.jsm.streams.info(STREAMS.outcomes, { subjects_filter: 'outcome.>' });
      expect(Object.values(state.subjects ?? {})).toEqual([messages]);
    },
  );

  it('after lanes of another partitioning: goes on where they have left off, and keeps what they have lost', async () => {
    const link = await connectNats({ servers: nats.url, name: 'test' });
    await ensureTopology(link);
    const lost = { at: 1, gaps: 1, changes: 7, from: 1, to: 2 };
    const left = [{ ackFloor: 0 }, { ackFloor: 1, needsReconcile: lost }];
    for (const [partition, data] of left.entries()) {
      const record = { owner: 'before', holder: 'h', released: true, beat: 1, data };
      await openBucket(link, BUCKETS.leases).put(`lane-pg_sales-${partition}of2`, JSON.stringify(record));
    }
    const fqn = (table: string) => formatFqn(['pg_sales', 'shop', 'public', table]);
    const slot = (table: string) => slotOf(assetKey({ entityType: 'table', fqn: fqn(table) })) % 2;
    const tables = Array.from({ length: TABLES }, (_, i) => `t${i}`);
    const [acknowledged = '', waiting = ''] = [1, 0].map((wanted) => tables.find((table) => slot(table) === wanted));
    for (const table of [acknowledged, waiting]) {
      const { body } = eventFor(table, 'before');
      await link.js.publish(changeSubject('pg_sales', { entityType: 'table', fqn: fqn(table) }), body);
    }
    const replica = await start();
    const after = eventFor(waiting, 'after');
    await replica.post(after.body);
    await replica.outcomes([after.id]);
    // Sequence 1 was behind the lane that read its slot.
    expect((await replica.runs()).map(({ sequence }) => sequence)).toEqual([2, 3]);
    expect(await readLanes(link, new Set())).toMatchObject([{ lane: 'lane-pg_sales-0of1', needsReconcile: lost }]);
    await link.close();
  });

  it('two replicas: one owns the lane at a time, the other takes over when that one stops', async () => {
    const pair = [await start(), await start('claiming')] as const;
    const [first, second] = pair;
    const runningAt = async (replica: TestService) =>
      (await replica.service.lanes.rows()).every(({ phase }) => phase === 'running');
    const events = burst(20, 2, 'one owner');
    await second.postAll(events);
    const runs = await first.outcomes(events.map(({ id }) => id));
    expect(keysTwice(runs)).toEqual([]);
    // The lane may have moved to the newcomer meanwhile.
    await until(async () => (await runningAt(first)) !== (await runningAt(second)));
    const [owner, other] = (await runningAt(first)) ? pair : [second, first];
    await stop(owner);
    await other.lanes();
    const later = burst(20, 1, 'other owner');
    await other.postAll(later);
    const after = await other.outcomes([...events, ...later].map(({ id }) => id));
    expect(keysTwice(after)).toEqual([]);
    await expectNewest(20, 'other owner', 0);
  });
});
