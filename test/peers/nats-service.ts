import pg from 'pg';
import type { Run } from '../../src/service/history.ts';
import { type PostgresServer, startPostgres } from '../support/postgres-server.ts';
import type { TestService } from '../support/test-service.ts';
import { descriptionEvent } from '../support/traced-changes.ts';
import { until } from '../support/until.ts';

export const PASSWORD_VARIABLE = 'NATS_PEERS_PASSWORD';

/** A PostgreSQL with so many tables `t0`, `t1`, … in the database `shop`. */
export interface Shop {
  readonly postgres: PostgresServer;
  /** Comments of the tables, by name. */
  comments(): Promise<ReadonlyMap<string, string | null>>;
}

export async function startShop(tables: number): Promise<Shop> {
  const postgres = await startPostgres();
  process.env[PASSWORD_VARIABLE] = postgres.password;
  const query = async <Row extends pg.QueryResultRow>(database: string, texts: readonly string[]): Promise<Row[]> => {
    const client = new pg.Client({ connectionString: postgres.url(database) });
    await client.connect();
    try {
      let rows: Row[] = [];
      for (const text of texts) rows = (await client.query<Row>(text)).rows;
      return rows;
    } finally {
      await client.end();
    }
  };
  await query('postgres', ['CREATE DATABASE shop']);
  await query(
    'shop',
    Array.from({ length: tables }, (_, i) => `CREATE TABLE t${i} (id int)`),
  );
  return {
    postgres,
    comments: async () => {
      const rows = await query<{ name: string; text: string | null }>('shop', [
        "SELECT relname AS name, obj_description(oid, 'pg_class') AS text FROM pg_class WHERE relname ~ '^t[0-9]+$'",
      ]);
      return new Map(rows.map(({ name, text }) => [name, text]));
    },
  };
}

/** One channel that writes descriptions; `more` are further lines of the target. */
export function shopConfig({ postgres }: Shop, more = ''): string {
  const login = `username: ${postgres.user}, authType: { password: "\${${PASSWORD_VARIABLE}}" }`;
  return `targets:
  - service: pg_sales
    connection: { type: Postgres, hostPort: "127.0.0.1:${postgres.port}", ${login}, database: shop }
${more}
channels:
  - { name: docs, update: { descriptions: true, tags: false, owners: false } }
`;
}

export function edit(table: number, text: string) {
  return descriptionEvent(['pg_sales', 'shop', 'public', `t${table}`], text);
}

/** Posts until it is accepted, as a catalogue behind a retrying proxy would: while NATS elects a leader the answer is 503. */
export async function postUntilAccepted(service: () => TestService, body: string): Promise<void> {
  await until(
    () =>
      service()
        .post(body)
        .then(
          () => true,
          () => false,
        ),
    90_000,
  );
}

/** Keys that have more than one outcome. */
export function keysTwice(runs: readonly Run[]): readonly string[] {
  const seen = new Set<string>();
  const twice: string[] = [];
  for (const { sequence, target, channel, aspect, object } of runs) {
    const key = JSON.stringify([sequence, target, channel, aspect, object]);
    if (seen.has(key)) twice.push(key);
    seen.add(key);
  }
  return twice;
}
