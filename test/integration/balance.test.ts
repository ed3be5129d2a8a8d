import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { assignLanes } from '../../src/service/assign-lanes.ts';
import { readLanes } from '../../src/service/lane-record.ts';
import { type NatsServer, startNatsServer } from '../support/nats-server.ts';
import { type PostgresServer, startPostgres } from '../support/postgres-server.ts';
import { ReplicaProcess } from '../support/replica-process.ts';
import {
  createTables,
  docsConfigOf,
  POSTGRES_PASSWORD_VARIABLE,
  postgresTarget,
  tableComments,
} from '../support/shop-database.ts';
import { startTestService, type TestService } from '../support/test-service.ts';
import { descriptionEvent } from '../support/traced-changes.ts';
import { until } from '../support/until.ts';

const SERVICES = Array.from({ length: 12 }, (_, i) => `pg_${i}`);
const LANES = SERVICES.map((service) => ({ lane: `lane-${service}-0of1`, target: service }));
const LEASE_MS = 2_000;

describe('replicas share the lanes of twelve targets', () => {
  let nats: NatsServer;
  let postgres: PostgresServer;
  let replicas: TestService[] = [];
  /** How often each table was edited in this test. */
  let edits = 0;

  beforeAll(async () => {
    postgres = await startPostgres();
    await createTables(postgres, SERVICES.length);
  });
  beforeEach(async () => {
    edits = 0;
    nats = await startNatsServer();
  });
  afterEach(async () => {
    await Promise.all(replicas.splice(0).map((replica) => replica.stop()));
    await nats.stop();
  });
  afterAll(() => postgres?.stop());

  /** The configuration as a file that replicas in processes of their own read, too. */
  const config = (): string => docsConfigOf(SERVICES.map((service) => postgresTarget(postgres, { service })));

  async function start(leaseMs = LEASE_MS): Promise<TestService> {
    const replica = await startTestService({ natsUrl: nats.url, config: config(), leaseMs });
    replicas.push(replica);
    return replica;
  }

  async function stop(replica: TestService): Promise<void> {
    replicas = replicas.filter((other) => other !== replica);
    await replica.stop();
  }

  const names = () => replicas.map(({ service }) => service.replica);

  /** Lane → who holds it. */
  async function owners(): Promise<ReadonlyMap<string, string>> {
    const [any] = replicas;
    if (any === undefined) throw new Error('no replica runs');
    const rows = await readLanes(any.service.link, new Set());
    return new Map(rows.flatMap(({ lane, owner }) => (owner === undefined ? [] : [[lane, owner]])));
  }

  /** The lanes that a replica runs, as it says itself. */
  async function running({ service }: TestService): Promise<readonly string[]> {
    return (await service.lanes.rows()).filter(({ phase }) => phase === 'running').map(({ lane }) => lane);
  }

  /** Waits for rest: each lane is held by the replica that it prefers, and runs there and nowhere else. */
  async function balanced(members = names()): Promise<ReadonlyMap<string, string>> {
    await until(async () => {
      const now = await owners();
      const wanted = assignLanes(LANES, members);
      return now.size === SERVICES.length && [...now].every(([lane, owner]) => owner === wanted.get(lane));
    }, 30_000);
    await until(async () => {
      const lanes = await Promise.all(replicas.map(running));
      const expected = [...(await owners()).values()].filter((owner) => names().includes(owner));
      return lanes.flat().length === expected.length && new Set(lanes.flat()).size === expected.length;
    }, 30_000);
    return owners();
  }

  /** As a catalogue behind a proxy would: a replica that is just closing is not the only one. */
  async function post(body: string, first: number): Promise<void> {
    for (let i = first; ; i += 1) {
      const replica = replicas[i % replicas.length];
      const failed = await replica?.post(body).then(
        () => undefined,
        (error: unknown) => error,
      );
      if (failed === undefined) return;
      if (i - first > 5) throw failed;
    }
  }

  /** Edits the table of each target once, through one of the replicas after the other, and gives the ids of the events. */
  async function editAll(mark: string): Promise<readonly string[]> {
    edits += 1;
    const events = SERVICES.map((service, i) =>
      descriptionEvent([service, 'shop', 'public', `t${i}`], `${mark} ${edits}`),
    );
    await Promise.all(events.map(({ body }, i) => post(body, i)));
    return events.map(({ id }) => id);
  }

  /** Keeps editing until the work is done, and some more; gives the ids of all events. */
  async function editDuring(mark: string, work: () => Promise<unknown>): Promise<readonly string[]> {
    const ids: string[] = [];
    let done = false;
    const working = work();
    const editing = (async () => {
      while (!done) {
        ids.push(...(await editAll(mark)));
        // The stream keeps the last 50 outcomes of a table.
        if (edits < 40) await new Promise((resolve) => setTimeout(resolve, 250));
        else await working;
      }
      ids.push(...(await editAll(mark)));
    })();
    try {
      await working;
    } finally {
      done = true;
      await editing;
    }
    return ids;
  }

  /** Nothing is lost, nothing twice, and the newest text stands in every source. */
  async function expectAll(ids: readonly string[], mark: string): Promise<void> {
    const [any] = replicas;
    const runs = (await any?.outcomes(ids, 30_000)) ?? [];
    expect(runs.length).toBe(ids.length);
    expect(new Set(runs.map(({ sequence, target }) => `${target} ${sequence}`)).size).toBe(ids.length);
    expect([...(await tableComments(postgres)).values()]).toEqual(SERVICES.map(() => `${mark} ${edits}`));
  }

  it('joining and leaving while changes flow: each lane ends at its preferred owner, only there, and nothing is lost', async () => {
    await start();
    const alone = await balanced();
    expect(new Set(alone.values()).size).toBe(1);
    const ids = [
      ...(await editDuring('joined', async () => {
        await start();
        const two = await balanced();
        expect(loads(two)).toEqual([6, 6]);
        await start();
        const three = await balanced();
        expect(loads(three)).toEqual([4, 4, 4]);
      })),
    ];
    const [leaver] = replicas;
    const before = await owners();
    ids.push(
      ...(await editDuring('left', async () => {
        if (leaver !== undefined) await stop(leaver);
        const after = await balanced();
        expect(loads(after)).toEqual([6, 6]);
        // Those who stay keep most of what they had.
        const kept = [...before].filter(([, owner]) => owner !== leaver?.service.replica);
        expect(kept.filter(([lane, owner]) => after.get(lane) === owner).length).toBeGreaterThanOrEqual(6);
      })),
    );
    await expectAll(ids, 'left');
  }, 90_000);

  it('a replica that stops hands its lanes over at once: nobody waits for the leases to run out', async () => {
    const hour = 3_600_000;
    const first = await start(hour);
    await balanced();
    await start(hour);
    const ids = [...(await editAll('before'))];
    const held = await owners();
    expect(loads(held)).toEqual([SERVICES.length]);
    await stop(first);
    ids.push(...(await editAll('handed over')));
    await expectAll(ids, 'handed over');
    expect(new Set((await owners()).values())).toEqual(new Set(names()));
  }, 60_000);

  it('P7 a replica that is killed: its lanes go to those whom they prefer now, and nothing is lost', async () => {
    await start();
    await start();
    const folder = await mkdtemp(join(tmpdir(), 'backflow-balance-'));
    await writeFile(join(folder, 'backflow.yaml'), config());
    const killed = new ReplicaProcess({
      name: 'killed',
      env: {
        NATS_URL: nats.url,
        BACKFLOW_CONFIG: join(folder, 'backflow.yaml'),
        BACKFLOW_DATA: join(folder, 'data'),
        BACKFLOW_TEST_LEASE_MS: String(LEASE_MS),
        [POSTGRES_PASSWORD_VARIABLE]: postgres.password,
      },
    });
    try {
      let third = '';
      await until(async () => {
        third = [...(await owners()).values()].find((owner) => owner.includes(`-${killed.pid}-`)) ?? '';
        return third !== '';
      }, 30_000);
      await balanced([...names(), third]);
      const ids = await editDuring('killed', async () => {
        // It does not come back within this test.
        void killed.kill9(120_000);
        await balanced();
      });
      expect(loads(await owners())).toEqual([6, 6]);
      await expectAll(ids, 'killed');
    } finally {
      await killed.close();
      await rm(folder, { recursive: true, force: true });
    }
  }, 90_000);
});

/** How many lanes each owner has, fewest first. */
function loads(owners: ReadonlyMap<string, string>): readonly number[] {
  const counts = new Map<string, number>();
  for (const owner of owners.values()) counts.set(owner, (counts.get(owner) ?? 0) + 1);
  return [...counts.values()].sort((a, b) => a - b);
}
