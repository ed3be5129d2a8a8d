import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { assetKey } from '../../src/domain/asset.ts';
import type { CatalogueReader } from '../../src/domain/catalogue-reader.ts';
import { parseFqn } from '../../src/domain/fqn.ts';
import type { Run } from '../../src/service/history.ts';
import { type Capture, FIXTURES, readCaptures } from '../captured/captures.ts';
import { type Expected, expectedState } from '../captured/expected-state.ts';
import { finalStates } from '../captured/final-states.ts';
import { type CapturedEvent, capturedEvents } from '../support/captured-events.ts';
import { startNatsServer } from '../support/nats-server.ts';
import { type PostgresServer, startPostgres } from '../support/postgres-server.ts';
import { seededRandom, shuffled } from '../support/seeded-random.ts';
import { startTestService } from '../support/test-service.ts';
import { until } from '../support/until.ts';

/** The secret that the two servers signed with. */
const CAPTURE_SECRET = 'whsec-Test_Key-1';
const OWNERS = new Map([
  ['ana', 'om_ana'],
  ['ben', 'om_ben'],
  ['data-platform', 'om_data_platform'],
]);

const SERVERS = ['real-1.12', 'real-1.6'] as const;
type Server = (typeof SERVERS)[number];

describe.each(SERVERS)('P1 P2 captured events of %s, through the running service into PostgreSQL', (server) => {
  const captures = readCaptures(server);
  const requests = capturedEvents(server);
  const expected = expectedState(`${FIXTURES}${server}`).filter(heldByPostgres);
  let postgres: PostgresServer;

  beforeAll(async () => {
    postgres = await startPostgres();
    process.env.BACKFLOW_TEST_POSTGRES_PASSWORD = postgres.password;
    await createTemplates(postgres, server, captures);
  });

  afterAll(() => postgres.stop());

  it('in step order', async () => {
    await check('step order', requests, undefined);
  });

  it('in arrival order, without a catalogue to ask', async () => {
    await check(
      'arrival order',
      [...requests].sort((a, b) => a.arrivedAt - b.arrivedAt),
      undefined,
    );
  });

  it('in 50 random orders, with a catalogue that answers the final state', async () => {
    const final = finalStates(captures);
    const catalogue: CatalogueReader = {
      read: async (asset) => {
        const snapshot = final.get(assetKey(asset));
        return snapshot === undefined ? { kind: 'gone' } : { kind: 'found', snapshot, serverTime: snapshot.updatedAt };
      },
    };
    for (let seed = 1; seed <= 50; seed += 1) {
      await check(`random order ${seed}`, shuffled(requests, seededRandom(seed)), catalogue, seed === 50);
    }
  }, 600_000);

  /** Posts the requests in this order to a new service, and compares outcomes and database with what is expected. */
  async function check(
    order: string,
    posted: readonly CapturedEvent[],
    catalogue: CatalogueReader | undefined,
    tell = true,
  ): Promise<void> {
    await resetDatabases(postgres, server, captures);
    const nats = await startNatsServer();
    const replica = await startTestService({
      natsUrl: nats.url,
      config: configuration(postgres),
      secrets: [CAPTURE_SECRET],
      ...(catalogue === undefined ? {} : { catalogue }),
    });
    try {
      await replica.lanes();
      for (const request of posted) {
        const response = await replica.postRaw(request.body, request.signature);
        expect(response.status, request.file).toBe(200);
      }
      await until(async () => {
        const [row] = await replica.service.lanes.rows();
        return row !== undefined && row.pending === 0 && row.held === 0;
      }, 30_000);
      const runs = await replica.runs();
      expect(keyProblems(runs, captures), order).toEqual([]);
      expect(await differences(postgres, expected), order).toEqual([]);
      if (tell)
        console.log(
          `${server}, ${order}: ${expected.length} fields compared, ${runs.length} keys with one outcome each`,
        );
    } finally {
      await replica.stop();
      await nats.stop();
    }
  }
});

/** Owners that the entity inherits are not its own and are not written; tags have no place in PostgreSQL. */
function heldByPostgres({ aspect, value }: Expected): boolean {
  return aspect === 'description' || (aspect === 'owners' && value !== null && !value.includes('(inherited)'));
}

/** Every change has at least one key, and every key has one outcome. */
function keyProblems(runs: readonly Run[], captures: readonly Capture[]): readonly string[] {
  const keys = Map.groupBy(runs, (run) =>
    JSON.stringify([run.sequence, run.target, run.channel, run.aspect, run.object]),
  );
  const doubled = [...keys]
    .filter(([, same]) => same.length > 1)
    .map(([key, same]) => `${key} has ${same.length} outcomes`);
  const seen = new Set(runs.map((run) => run.eventId));
  const missing = captures
    .filter((capture) => !seen.has(capture.received.event.id))
    .map((capture) => `${capture.file} has no outcome`);
  return [...doubled, ...missing];
}

function configuration(postgres: PostgresServer): string {
  return `targets:
  - service: pg_sales
    connection:
      type: Postgres
      hostPort: "${postgres.host}:${postgres.port}"
      username: ${postgres.user}
      authType: { password: "\${BACKFLOW_TEST_POSTGRES_PASSWORD}" }
      database: shop
      ingestAllDatabases: true
    rateLimit: { perSecond: 10000, burst: 10000 }
channels:
  - name: everything
    update: { descriptions: true, tags: true, owners: true }
owners:
  map: { ${[...OWNERS].map(([name, role]) => `${name}: ${role}`).join(', ')} }
ignoreUsers: []
`;
}

const quote = (name: string): string => `"${name.replaceAll('"', '""')}"`;
const databasesOf = (captures: readonly Capture[]): ReadonlySet<string> =>
  new Set(captures.flatMap(({ received }) => received.event.snapshot?.database ?? []));
const templateOf = (server: Server, database: string): string => `template ${server} ${database}`;

async function withClient<T>(
  postgres: PostgresServer,
  database: string | undefined,
  use: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = new pg.Client({ ...connectionOf(postgres), database: database ?? 'postgres' });
  await client.connect();
  try {
    return await use(client);
  } finally {
    await client.end();
  }
}

const connectionOf = ({ host, port, user, password }: PostgresServer) => ({ host, port, user, password });

/** One template database for each database that the captures name, with every schema, table and column that ever stood in them. */
async function createTemplates(postgres: PostgresServer, server: Server, captures: readonly Capture[]): Promise<void> {
  await withClient(postgres, undefined, async (client) => {
    for (const role of OWNERS.values()) await client.query(`CREATE ROLE ${role}`);
    for (const database of databasesOf(captures))
      await client.query(`CREATE DATABASE ${quote(templateOf(server, database))}`);
  });
  for (const database of databasesOf(captures)) {
    await withClient(postgres, templateOf(server, database), async (client) => {
      const tables = new Map<string, Set<string>>();
      for (const { received } of captures) {
        const { snapshot } = received.event;
        if (snapshot?.database !== database || snapshot.schema === undefined) continue;
        await client.query(`CREATE SCHEMA IF NOT EXISTS ${quote(snapshot.schema)}`);
        if (snapshot.entityType !== 'table') continue;
        const name = `${quote(snapshot.schema)}.${quote(snapshot.name)}`;
        const columns = tables.get(name) ?? new Set();
        for (const column of snapshot.columns) columns.add(column.name);
        tables.set(name, columns);
      }
      for (const [name, columns] of tables) {
        await client.query(
          `CREATE TABLE ${name} (${[...columns].map((column) => `${quote(column)} text`).join(', ')})`,
        );
      }
    });
  }
}

async function resetDatabases(postgres: PostgresServer, server: Server, captures: readonly Capture[]): Promise<void> {
  await withClient(postgres, undefined, async (client) => {
    for (const database of databasesOf(captures)) {
      await client.query(`DROP DATABASE IF EXISTS ${quote(database)} WITH (FORCE)`);
      await client.query(`CREATE DATABASE ${quote(database)} TEMPLATE ${quote(templateOf(server, database))}`);
    }
  });
}

interface Stored {
  readonly description: string | null;
  readonly owner: string | null;
}

/** What of the expectation the databases do not hold. */
async function differences(postgres: PostgresServer, expected: readonly Expected[]): Promise<readonly string[]> {
  const found: string[] = [];
  const byDatabase = Map.groupBy(expected, ({ asset }) => namesOf(asset)[0] ?? '');
  for (const [database, rows] of byDatabase) {
    await withClient(postgres, database, async (client) => {
      for (const row of rows) {
        const stored = await read(client, namesOf(row.asset), row.column);
        const value = row.aspect === 'owners' ? stored?.owner : stored?.description;
        const wanted = row.aspect === 'owners' ? OWNERS.get(row.value ?? '') : row.value;
        if ((value ?? null) !== (wanted ?? null))
          found.push(`${row.asset} ${row.column ?? ''} ${row.aspect}: ${value}, expected ${wanted} (${row.from})`);
      }
    });
  }
  return found;
}

/** Names below the service: database, schema, table. */
function namesOf(asset: string): readonly string[] {
  const parts = parseFqn(asset.slice(asset.indexOf(' ') + 1));
  return parts.ok ? parts.value.slice(1) : [];
}

async function read(
  client: pg.Client,
  [database, schema, table]: readonly string[],
  column: string | undefined,
): Promise<Stored | undefined> {
  const ask = async (sql: string, values: readonly (string | undefined)[]): Promise<Stored | undefined> =>
    (await client.query<Stored & pg.QueryResultRow>(sql, [...values])).rows[0];
  if (schema === undefined) {
    return ask(
      "SELECT shobj_description(oid, 'pg_database') AS description, pg_get_userbyid(datdba) AS owner FROM pg_database WHERE datname = $1",
      [database],
    );
  }
  if (table === undefined) {
    return ask(
      "SELECT obj_description(oid, 'pg_namespace') AS description, pg_get_userbyid(nspowner) AS owner FROM pg_namespace WHERE nspname = $1",
      [schema],
    );
  }
  const from = 'FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace';
  if (column === undefined) {
    return ask(
      `SELECT obj_description(c.oid, 'pg_class') AS description, pg_get_userbyid(c.relowner) AS owner ${from} WHERE n.nspname = $1 AND c.relname = $2`,
      [schema, table],
    );
  }
  return ask(
    `SELECT col_description(c.oid, a.attnum) AS description, NULL AS owner ${from} JOIN pg_attribute a ON a.attrelid = c.oid WHERE n.nspname = $1 AND c.relname = $2 AND a.attname = $3`,
    [schema, table, column],
  );
}
