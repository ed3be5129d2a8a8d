import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { changeSubject } from '../../src/domain/subjects.ts';
import { readRuns } from '../../src/service/history.ts';
import { connectNats, type NatsLink } from '../../streams/nats/connection.ts';
import { createPublisher } from '../../streams/nats/publisher.ts';
import { type FaultProxy, startFaultProxy } from '../support/fault-proxy.ts';
import { type NatsServer, startNatsServer } from '../support/nats-server.ts';
import { type PostgresServer, startPostgres } from '../support/postgres-server.ts';
import { type RunningCli, startCli } from '../support/run-cli.ts';
import { createTables, docsConfig, POSTGRES_PASSWORD_VARIABLE, tableComments } from '../support/shop-database.ts';
import { descriptionEvent } from '../support/traced-changes.ts';
import { until } from '../support/until.ts';

const TABLES = 120;
const EDITS = 2;
const LANE = 'lane-pg_sales-0of1';
const SETTLED_MS = 60_000;

describe('a process that is told to end, or killed, while it works', () => {
  let postgres: PostgresServer;
  let proxy: FaultProxy;
  let nats: NatsServer;
  let link: NatsLink;
  let folder: string;
  let processes: RunningCli[] = [];

  beforeAll(async () => {
    postgres = await startPostgres();
    await createTables(postgres, TABLES);
    proxy = await startFaultProxy(() => postgres);
  });

  beforeEach(async () => {
    nats = await startNatsServer();
    link = await connectNats({ servers: nats.url, name: 'test' });
    folder = await mkdtemp(join(tmpdir(), 'backflow-end-'));
    await writeFile(
      join(folder, 'backflow.yaml'),
      docsConfig(postgres, { port: proxy.port, more: ['rateLimit: { perSecond: 100, burst: 1, batch: 10 }'] }),
    );
  });

  afterEach(async () => {
    proxy.set({ kind: 'pass' });
    await Promise.all(processes.splice(0).map((running) => running.stop('SIGKILL')));
    await link.close();
    await nats.stop();
    await rm(folder, { recursive: true, force: true });
  });

  afterAll(async () => {
    await proxy?.close();
    await postgres?.stop();
  });

  async function serve(): Promise<RunningCli> {
    const running = startCli(['serve', '--json'], {
      cwd: folder,
      env: {
        NATS_URL: nats.url,
        BACKFLOW_HTTP: '127.0.0.1:0',
        BACKFLOW_CONFIG: 'backflow.yaml',
        BACKFLOW_TEST_LEASE_MS: '1000',
        [POSTGRES_PASSWORD_VARIABLE]: postgres.password,
      },
    });
    processes = [...processes, running];
    await running.line(/"webhook"/);
    await until(async () => (await lag()) !== undefined, SETTLED_MS);
    return running;
  }

  const lag = async (): Promise<number | undefined> => {
    const info = await link.jsm.consumers.info('CHANGES', LANE).catch(() => undefined);
    return info === undefined ? undefined : info.num_pending + info.num_ack_pending;
  };

  const said = () => processes.map(({ output }) => output.stderr).join('\n');

  const runs = () => readRuns(link, { limit: 1_000_000 });

  /** Messages that hold outcomes so far; quicker to ask than the outcomes themselves. */
  const recorded = async () => (await link.jsm.streams.info('OUTCOMES')).state.messages;

  /** Every table several times, the newest last. */
  async function publishBurst(mark: string): Promise<readonly string[]> {
    const publisher = createPublisher(link, { maxMessages: 256, maxBytes: 8 * 1024 * 1024 });
    const ids: string[] = [];
    for (let edit = 0; edit < EDITS; edit += 1)
      for (let i = 0; i < TABLES; i += 1) {
        const path = ['pg_sales', 'shop', 'public', `t${i}`] as const;
        const { id, body } = descriptionEvent(path, `${mark} ${i}.${edit}`);
        ids.push(id);
        void publisher.publish(changeSubject('pg_sales', { entityType: 'table', fqn: path.join('.') }), body);
      }
    await publisher.settle();
    return ids;
  }

  /** Waits until nothing is left to do; then every change has one outcome, and every table its newest text. */
  async function expectAllDone(ids: readonly string[], mark: string): Promise<void> {
    await until(async () => (await lag()) === 0, SETTLED_MS).catch((error: unknown) => {
      throw new Error(said(), { cause: error });
    });
    const decided = (await runs()).map(({ eventId }) => eventId);
    expect(decided.toSorted()).toEqual([...ids].sort());
    const comments = [...(await tableComments(postgres))];
    expect(comments.filter(([name, text]) => text !== `${mark} ${name.slice(1)}.${EDITS - 1}`)).toEqual([]);
    expect(comments).toHaveLength(TABLES);
  }

  /** Something more is recorded, and much is not. */
  async function midway(before = 0): Promise<void> {
    await until(async () => (await recorded()) > before, SETTLED_MS).catch((error: unknown) => {
      throw new Error(said(), { cause: error });
    });
    expect(await lag()).toBeGreaterThan(0);
  }

  it('P7: SIGTERM in the middle of a burst: it ends with 0 and nothing unfinished, the next process does the rest', async () => {
    const first = await serve();
    const ids = await publishBurst('told to end');
    await midway();
    expect(await first.stop('SIGTERM')).toBe(0);
    expect(first.output.stderr).not.toContain('not all was finished');
    const before = await runs();
    expect(before.length).toBeLessThan(ids.length);
    await serve();
    await expectAllDone(ids, 'told to end');
  }, 240_000);

  it('P7: SIGTERM while the target hangs: it still ends by itself, and what it held comes again', async () => {
    const first = await serve();
    const ids = await publishBurst('hanging');
    await midway();
    proxy.set({ kind: 'stall' });
    // Nobody sends another signal: that it ends at all shows that it does not wait for the target.
    expect(await first.stop('SIGTERM')).toBe(0);
    proxy.set({ kind: 'pass' });
    await serve();
    await expectAllDone(ids, 'hanging');
  }, 240_000);

  it('P7: SIGKILL again and again: nothing is lost, and each change has one outcome', async () => {
    let running = await serve();
    const ids: string[] = [];
    for (let kill = 1; kill <= 2; kill += 1) {
      const before = await recorded();
      ids.push(...(await publishBurst(`kill ${kill}`)));
      await midway(before);
      await running.stop('SIGKILL');
      running = await serve();
    }
    await expectAllDone(ids, 'kill 2');
    expect(await running.stop('SIGTERM')).toBe(0);
  }, 240_000);
});
