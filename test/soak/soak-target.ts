import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { type FaultProxy, startFaultProxy } from '../support/fault-proxy.ts';
import { type PostgresServer, startPostgres } from '../support/postgres-server.ts';
import { DATABASE, SERVICE, WRITTEN_SCHEMA } from './soak-events.ts';

/** Tables that are really written, by the steady phase and by the backlog. */
export const TABLES = 200;

/** A PostgreSQL behind a proxy, which can be made to flap. */
export interface SoakTarget {
  readonly config: string;
  readonly env: Readonly<Record<string, string>>;
  /** Fails in turn in four ways, one each `everyMs`, until the signal ends it; resolves healed, with how often it failed. */
  flap(everyMs: number, signal: AbortSignal): Promise<number>;
  /** Comments by table, read over a connection of our own. */
  comments(): Promise<ReadonlyMap<string, string>>;
  stop(): Promise<void>;
}

export async function startSoakTarget(): Promise<SoakTarget> {
  const server = await startPostgres();
  let proxy: FaultProxy | undefined;
  try {
    await onDatabase(server, 'postgres', (client) => client.query(`CREATE DATABASE ${DATABASE}`));
    const tables = Array.from({ length: TABLES }, (_, i) => `CREATE TABLE t${i} (id int)`);
    await onDatabase(server, DATABASE, (client) => client.query(tables.join(';')));
    proxy = await startFaultProxy(() => server);
  } catch (error) {
    await server.stop();
    throw error;
  }
  return targetOf(server, proxy);
}

function targetOf(server: PostgresServer, proxy: FaultProxy): SoakTarget {
  const failures: readonly (() => Promise<void>)[] = [
    async () => proxy.cutAll(),
    async () => {
      proxy.set({ kind: 'black-hole' });
      await delay(2_000);
      proxy.set({ kind: 'pass' });
    },
    async () => {
      await server.crash();
      await delay(2_000);
      await server.restart();
    },
    async () => {
      proxy.set({ kind: 'stall' });
      await delay(2_000);
      proxy.set({ kind: 'pass' });
    },
  ];
  return {
    config: `targets:
  - service: ${SERVICE}
    connection: { type: Postgres, hostPort: "127.0.0.1:${proxy.port}", username: ${server.user}, authType: { password: "\${SOAK_PASSWORD}" }, database: ${DATABASE} }
    rateLimit: { perSecond: 100000, burst: 100000 }
channels:
  - name: documentation
    filter: { "==": [ { var: databaseSchema.name }, ${WRITTEN_SCHEMA} ] }
    update: { descriptions: true, tags: false, owners: false }
`,
    env: { SOAK_PASSWORD: server.password },
    async flap(everyMs, signal) {
      for (let count = 0; ; count += 1) {
        await delay(everyMs, undefined, { signal }).catch(() => undefined);
        if (signal.aborted) return count;
        await failures[count % failures.length]?.();
      }
    },
    async comments() {
      const { rows } = await onDatabase(server, DATABASE, (client) =>
        client.query<{ name: string; comment: string }>(
          "SELECT relname AS name, coalesce(obj_description(oid, 'pg_class'), '') AS comment FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'",
        ),
      );
      return new Map(rows.map(({ name, comment }) => [name, comment]));
    },
    async stop() {
      await proxy.close();
      await server.stop();
    },
  };
}

async function onDatabase<T>(server: PostgresServer, database: string, work: (client: pg.Client) => Promise<T>) {
  const client = new pg.Client({ connectionString: server.url(database) });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
