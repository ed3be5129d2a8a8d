import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { z } from 'zod';
import type { ConformanceHarness, RunningHarness, WritableObject } from '../../connectors/conformance/harness.ts';
import { openStatementClient, type StatementClient } from '../../connectors/trino/client/statement-client.ts';
import { trinoConfig } from '../../connectors/trino/config.ts';
import { trinoConnector } from '../../connectors/trino/connector.ts';
import {
  TRINO_HOSTILE_NAMES,
  TRINO_HOSTILE_OBJECTS,
  TRINO_MISSING,
  TRINO_OBJECTS,
  trinoDumpKey,
  trinoRef,
  trinoTemplate,
  trinoUnreadable,
} from './trino-harness.ts';
import { startBreakableProxy } from './trino-proxy.ts';
import { quoted } from './trino-quoted.ts';
import type { RealTrino } from './trino-real-server.ts';

/** A connection of the tests' own. */
export function clientOf(
  trino: RealTrino,
  user: string,
  roles: Readonly<Record<string, string>> = {},
): Promise<StatementClient> {
  return openStatementClient(trinoConfig.parse(connectionOf(trino, user, { backflow: { roles } })), {
    lane: 'tests',
    epoch: 0,
  });
}

export function connectionOf(trino: RealTrino, user: string, more: object = {}): object {
  return {
    type: 'Trino',
    username: user,
    authType: { password: trino.passwords[user] },
    hostPort: `127.0.0.1:${trino.port}`,
    sslConfig: { caCertificate: trino.caCertificate },
    ...more,
  };
}

const textRow = z.array(z.string().nullable());

const COLUMNS = ['memory', 'lake', 'strict', 'ice']
  .map(
    (catalog) =>
      `SELECT '${catalog}', table_schema, table_name, column_name, comment, concat(data_type, ' ', is_nullable, ' ', cast(ordinal_position AS varchar), ' ', coalesce(column_default, '')) FROM ${catalog}.information_schema.columns WHERE table_schema <> 'information_schema'`,
  )
  .join(' UNION ALL ');
const VIEWS = "SELECT 'lake', table_schema, table_name, NULL, NULL, view_definition FROM lake.information_schema.views";
const TABLES = ['memory', 'lake', 'strict', 'ice'].map(
  (catalog) =>
    `SELECT catalog_name, schema_name, table_name, NULL, comment, 'present' FROM system.metadata.table_comments WHERE catalog_name = '${catalog}' AND schema_name <> 'information_schema'`,
);
const DUMP = `${COLUMNS} UNION ALL ${VIEWS} UNION ALL ${TABLES.join(' UNION ALL ')}`;

/** All comments, definitions, owners and grants: by SQL where Trino tells them, else from the files of the metastores. */
export async function dumpTrino(admin: StatementClient, trino: RealTrino): Promise<Map<string, string>> {
  const dump = new Map<string, string>();
  for (const [catalog, schema, table, column, comment, definition] of await admin.rows(DUMP, textRow)) {
    const address = JSON.stringify([catalog, schema, table, column].filter((name) => name != null));
    if (comment != null && comment !== '') dump.set(`description ${address}`, comment);
    dump.set(
      `${column == null ? 'table' : 'column'} ${definition === 'present' ? '' : 'defined '}${address}`,
      definition ?? '',
    );
  }
  for (const catalog of ['lake', 'strict', 'ice']) dumpFiles(join(trino.files, catalog, 'ms'), catalog, dump);
  return dump;
}

const owned = z.looseObject({ owner: z.string().nullish(), ownerName: z.string().nullish() });

function dumpFiles(root: string, catalog: string, dump: Map<string, string>): void {
  // It comes with the first schema.
  if (!existsSync(root)) return;
  for (const path of readdirSync(root, { recursive: true, encoding: 'utf8' }).sort()) {
    const file = join(root, path);
    if (path.endsWith('.crc') || !statSync(file).isFile()) continue;
    // For each comment on a view its connector makes the metastore's privileges anew; where they count, in `strict`, no view is described.
    const isRemade = catalog !== 'strict' && /\/(order_view|totals)\//.test(path);
    if (path.includes('.trinoPermissions') && !isRemade)
      dump.set(`grants ${catalog} ${relative(root, file)}`, readFileSync(file, 'utf8'));
    const [, table] = /^(.+)\/\.trinoSchema$/.exec(path) ?? [];
    const [, schema] = /^\.(.+)\.trinoSchema$/.exec(path) ?? [];
    const names = table?.split('/') ?? schema;
    if (names === undefined) continue;
    const { owner, ownerName } = owned.parse(JSON.parse(readFileSync(file, 'utf8')));
    dump.set(
      `owners ${JSON.stringify([catalog, ...(typeof names === 'string' ? [names] : names)])}`,
      owner ?? ownerName ?? '',
    );
  }
}

/** Comments on views only where they take no grants away, and owners only where the catalog has security of its own. */
const WRITABLE: readonly WritableObject[] = [
  ...TRINO_OBJECTS.filter(({ ref }) => ref.level !== 'schema').map(
    (object): WritableObject => ({ ...object, aspects: ['description'] }),
  ),
  { ref: trinoRef('schema', 'strict', 'annex'), kind: 'schema' },
  { ref: trinoRef('table', 'strict', 'app', 'orders'), kind: 'table', aspects: ['owners'] },
  { ref: trinoRef('table', 'strict', 'app', 'order_view'), kind: 'view', aspects: ['owners'] },
];

const OBJECTS = [
  'GRANT admin TO USER backflow IN strict',
  'CREATE SCHEMA strict.app',
  'CREATE SCHEMA strict.annex',
  'CREATE TABLE strict.app.orders (id integer, note varchar)',
  'CREATE VIEW strict.app.order_view AS SELECT id, note FROM strict.app.orders',
  'GRANT SELECT ON strict.app.order_view TO USER bob',
  'CREATE SCHEMA lake.app',
  'CREATE TABLE lake.app.orders (id integer, note varchar)',
  'CREATE TABLE lake.app.customers (id integer, note varchar)',
  'CREATE VIEW lake.app.order_view AS SELECT id, note FROM lake.app.orders',
  'CREATE SCHEMA ice.app',
  'CREATE TABLE ice.app.orders (id integer, note varchar)',
  'CREATE MATERIALIZED VIEW ice.app.totals AS SELECT id, note FROM ice.app.orders',
  'CREATE SCHEMA memory.app',
  'CREATE TABLE memory.app.canary (id integer)',
  "COMMENT ON TABLE memory.app.canary IS 'sings'",
  'CREATE SCHEMA memory.secret',
  'CREATE TABLE memory.secret.vault (id integer)',
  "COMMENT ON TABLE memory.secret.vault IS 'closed'",
];

const queryRow = z.tuple([z.string(), z.string(), z.string()]);

/** The objects of the kit on a real server; connections go through a proxy that can break them. */
export async function startRealTrinoHarness(trino: RealTrino): Promise<RunningHarness> {
  const admin = await clientOf(trino, 'admin', { strict: 'admin' });
  for (const statement of OBJECTS) await admin.run(statement);
  for (const name of TRINO_HOSTILE_NAMES) {
    await admin.run(`CREATE SCHEMA ${quoted('memory', name)}`);
    await admin.run(`CREATE TABLE ${quoted('memory', name, name)} (${quoted(name)} integer, other integer)`);
  }
  const proxy = await startBreakableProxy();
  const seen = new Set<string>();
  const connection = connectionOf(trino, 'backflow', {
    proxies: { https: proxy.url },
    backflow: { roles: { strict: 'admin' } },
  });
  const harness: ConformanceHarness = {
    connector: trinoConnector,
    connection,
    wrongCredentials: { ...connection, authType: { password: 'wrong secret' } },
    unreachable: { ...connection, hostPort: '127.0.0.1:1' },
    secrets: [trino.passwords.backflow ?? '', 'wrong secret'],
    objects: WRITABLE,
    hostileObjects: TRINO_HOSTILE_OBJECTS,
    missing: TRINO_MISSING,
    principals: { first: 'ada', second: 'grace', missing: 'role:nobody' },
    forbidden: { ref: trinoRef('table', 'memory', 'secret', 'vault'), kind: 'table' },
    unreadable: trinoUnreadable,
    dump: () => dumpTrino(admin, trino),
    dumpKeys: (object, aspect) => [trinoDumpKey(object, aspect)],
    async executed() {
      const rows = await admin.rows(
        "SELECT query_id, state, query FROM system.runtime.queries WHERE source LIKE 'backflow/conformance/%' ORDER BY created, query_id",
        queryRow,
      );
      const fresh = rows.filter(([id]) => !seen.has(id));
      for (const [id] of fresh) seen.add(id);
      return fresh
        .filter(([, state, sql]) => state === 'FINISHED' && /^(COMMENT|ALTER)/i.test(sql))
        .map(([, , sql]) => sql.replace(/ \/\*traceparent='[^']*'\*\/$/, ''));
    },
    breakConnections: async () => proxy.breakAll(),
    templateFor: trinoTemplate,
  };
  return {
    harness,
    async stop() {
      admin.close();
      await proxy.stop();
    },
  };
}
