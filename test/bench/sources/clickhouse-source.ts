import { type ClickhouseServer, startClickhouse } from '../../support/clickhouse-server.ts';
import { tableName, textKey } from '../workload/workload.ts';
import type { BenchSource, SourceNeeds } from './bench-source.ts';

const ACCOUNT = { user: 'bench', password: 'bench', grants: ['ALL ON *.*'] };
const schemaOf = (place: number): string => `bench_${place}`;

/** ClickHouse's engine behind its HTTP interface, as the tests use it: one request at a time, whoever asks. */
export async function startClickhouseSource(needs: SourceNeeds): Promise<BenchSource> {
  const server = await startClickhouse({ accounts: [ACCOUNT] });
  try {
    for (const [place, count] of needs.tables.entries()) {
      await server.admin.command({ query: `CREATE DATABASE ${schemaOf(place)}` });
      for (let number = 0; number < count; number += 1)
        await server.admin.command({
          query: `CREATE TABLE ${schemaOf(place)}.${tableName(number)} (id UInt64) ENGINE = MergeTree ORDER BY id`,
        });
    }
    return await sourceOf(server, needs);
  } catch (error) {
    await server.stop();
    throw error;
  }
}

async function sourceOf(server: ClickhouseServer, needs: SourceNeeds): Promise<BenchSource> {
  const places = [...needs.tables.keys()];
  let statements = 0;
  const setComment = (place: number, table: string, text: string) =>
    server.admin.command({
      query: `ALTER TABLE ${schemaOf(place)}.${table} MODIFY COMMENT '${text.replaceAll(/['\\]/g, '\\$&')}'`,
    });
  const comments = async (place: number) => {
    const answer = await server.admin.query({
      query: `SELECT name, comment FROM system.tables WHERE database = '${schemaOf(place)}' AND comment <> ''`,
      format: 'JSONEachRow',
    });
    return answer.json<{ readonly name: string; readonly comment: string }>();
  };
  const version = await server.admin.query({ query: 'SELECT version() AS version', format: 'JSONEachRow' });
  const [row] = await version.json<{ readonly version: string }>();
  return {
    system: 'clickhouse',
    product: `ClickHouse ${row?.version ?? ''} (chdb)`,
    places: places.map((place) => ({
      service: `bench_click_${place}`,
      serviceType: 'Clickhouse',
      database: 'default',
      schema: schemaOf(place),
    })),
    password: ACCOUNT.password,
    url: (place) => `http://${ACCOUNT.user}:${ACCOUNT.password}@${server.host}:${server.port}/${schemaOf(place)}`,
    connection: () => ({
      type: 'Clickhouse',
      hostPort: `${server.host}:${server.port}`,
      username: ACCOUNT.user,
      // biome-ignore lint/suspicious/noTemplateCurlyInString: resolved by the service
      password: '${BENCH_PASSWORD}',
    }),
    clear: async () => {
      for (const place of places) for (const { name } of await comments(place)) await setComment(place, name, '');
    },
    preset: async (texts) => {
      for (const [table, text] of texts) await setComment(0, table, text);
    },
    texts: async () => {
      const found = new Map<string, string>();
      for (const place of places)
        for (const { name, comment } of await comments(place)) found.set(textKey(place, name, ''), comment);
      return found;
    },
    counters: async () => {
      // The journal knows the statements of the account since it was last asked.
      statements += (await server.journal()).filter((statement) => /^\s*ALTER\b/i.test(statement)).length;
      return { statements, transactions: null };
    },
    stop: () => server.stop(),
  };
}
