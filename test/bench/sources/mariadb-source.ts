import { type Connection, createConnection, escape as escapeLiteral, type RowDataPacket } from 'mysql2/promise';
import { type MariadbServer, startMariadb } from '../../support/mariadb-server.ts';
import { columnName, tableName, textKey } from '../workload/workload.ts';
import type { BenchSource, SourceNeeds } from './bench-source.ts';

const schemaOf = (place: number): string => `bench_${place}`;

/** A MariaDB with its default durability. */
export async function startMariadbSource(needs: SourceNeeds): Promise<BenchSource> {
  const server = await startMariadb();
  try {
    const { host, port, user, password } = server;
    const client = await createConnection({ host, port, user, password });
    for (const place of needs.tables.keys()) await client.query(`CREATE DATABASE ${schemaOf(place)}`);
    await createTables(client, needs);
    return await sourceOf(server, client, needs);
  } catch (error) {
    await server.stop();
    throw error;
  }
}

async function createTables(client: Connection, { tables, columns = 1 }: SourceNeeds): Promise<void> {
  const definition = Array.from({ length: columns }, (_, i) => `${columnName(i)} INT`).join(', ');
  for (const [place, count] of tables.entries()) {
    for (let number = 0; number < count; number += 1)
      await client.query(`CREATE OR REPLACE TABLE ${schemaOf(place)}.${tableName(number)} (${definition})`);
  }
}

async function sourceOf(server: MariadbServer, client: Connection, needs: SourceNeeds): Promise<BenchSource> {
  const [version] = await client.query<RowDataPacket[]>('SELECT version() AS version');
  const { host, port, user, password } = server;
  return {
    system: 'mariadb',
    product: `MariaDB ${String(version[0]?.version ?? '').replace(/-MariaDB.*/, '')}`,
    places: [...needs.tables.keys()].map((place) => ({
      service: `bench_maria_${place}`,
      serviceType: 'MariaDB',
      database: 'default',
      schema: schemaOf(place),
    })),
    password,
    url: (place) => `mysql://${user}:${encodeURIComponent(password)}@${host}:${port}/${schemaOf(place)}`,
    connection: () => ({
      type: 'MariaDB',
      hostPort: `${host}:${port}`,
      username: user,
      // biome-ignore lint/suspicious/noTemplateCurlyInString: resolved by the service
      authType: { password: '${BENCH_PASSWORD}' },
    }),
    clear: () => createTables(client, needs),
    preset: async (texts) => {
      for (const [table, text] of texts)
        await client.query(`ALTER TABLE ${schemaOf(0)}.${table} COMMENT ${escapeLiteral(text)}`);
    },
    texts: async () => {
      const found = new Map<string, string>();
      for (const place of needs.tables.keys()) {
        const [rows] = await client.query<RowDataPacket[]>(
          `SELECT table_name AS t, '' AS c, table_comment AS text FROM information_schema.tables WHERE table_schema = ?
           UNION ALL SELECT table_name, column_name, column_comment FROM information_schema.columns WHERE table_schema = ?`,
          [schemaOf(place), schemaOf(place)],
        );
        for (const { t, c, text } of rows)
          if (text !== '') found.set(textKey(place, String(t), String(c)), String(text));
      }
      return found;
    },
    counters: async () => {
      const [rows] = await client.query<RowDataPacket[]>("SHOW GLOBAL STATUS LIKE 'Com_alter_table'");
      // Every ALTER commits by itself: there are no transactions to count.
      return { statements: Number(rows[0]?.Value ?? 0), transactions: null };
    },
    stop: async () => {
      await client.end();
      await server.stop();
    },
  };
}
