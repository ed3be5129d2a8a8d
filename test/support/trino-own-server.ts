import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import type { RunningHarness, WritableObject } from '../../connectors/conformance/harness.ts';
import { ConnectorError } from '../../connectors/connector-error.ts';
import type { Ability, Connector } from '../../connectors/contract.ts';
import { openStatementClient, type StatementClient } from '../../connectors/trino/client/statement-client.ts';
import { type TrinoConfig, trinoConfig } from '../../connectors/trino/config.ts';
import { trinoConnector } from '../../connectors/trino/connector.ts';
import { trinoDumpKey, trinoRef } from './trino-harness.ts';
import { startBreakableProxy } from './trino-proxy.ts';
import { quoted } from './trino-quoted.ts';

/**
 * The connector as far as a foreign server is written to: descriptions only. To give objects away could lock the account out of what it
 * has to remove again.
 */
export const TRINO_DESCRIPTIONS: Connector<TrinoConfig> = narrowed(
  trinoConnector.spec.abilities.filter(({ aspect }) => aspect === 'description'),
);

/** What is not among these abilities is refused, as the connector refuses what a catalog has said that it lacks. */
function narrowed(abilities: readonly Ability[]): Connector<TrinoConfig> {
  const { spec, open, plan } = trinoConnector;
  return {
    spec: { ...spec, abilities },
    open,
    plan(operation, source, options) {
      const { aspect, object } = operation;
      if (abilities.some((ability) => ability.aspect === aspect && ability.level === object.level)) {
        return plan(operation, source, options);
      }
      const message = 'Not written on this server by the test.';
      const failure = { class: 'unsupported', scope: 'object', code: 'not-tested', message } as const;
      return { ok: false, error: { outcome: 'skipped', failure } };
    },
  };
}

const json = z.looseObject({ catalog: z.string().min(1) });
const queryRow = z.tuple([z.string(), z.string(), z.string()]);
const textRow = z.array(z.string().nullable());
const NAMES = ["it's", 'dots.and blanks', 'emoji 😀 שלום', '--comment /* open'];

/**
 * A user's own server: `BACKFLOW_TEST_TRINO_URL` is `https://user:password@host:port/catalog`, or OpenMetadata's connection JSON with
 * `catalog`. The account makes one schema there, `backflow_test_…`, and drops it with all that is in it; it touches nothing else.
 */
export async function startOwnTrino(variable: string): Promise<RunningHarness> {
  const connection = json.parse(variable.trimStart().startsWith('{') ? JSON.parse(variable) : connectionOf(variable));
  const config = trinoConfig.parse(connection);
  if (config.login.kind !== 'password' || !config.https) {
    throw new Error('The suite needs a login with a password over HTTPS, to see what becomes of a wrong one.');
  }
  const { catalog } = connection;
  const schema = `backflow_test_${randomBytes(4).toString('hex')}`;
  const admin = await openStatementClient(config, { lane: 'own', epoch: 0 });
  const made: string[] = [];
  const make = async (kind: 'SCHEMA' | 'TABLE' | 'VIEW', name: string, rest: string): Promise<boolean> => {
    const worked = await tried(admin, `CREATE ${kind} ${name} ${rest}`);
    if (worked) made.unshift(`DROP ${kind} ${name}`);
    return worked;
  };
  const proxy = await startBreakableProxy();
  const stop = async (): Promise<void> => {
    for (const statement of made) await admin.run(statement);
    admin.close();
    await proxy.stop();
  };
  try {
    if (!(await make('SCHEMA', quoted(catalog, schema), ''))) {
      throw new Error(`The account may not make a schema in the catalog ${catalog}.`);
    }
    for (const table of ['orders', 'customers']) {
      await make('TABLE', quoted(catalog, schema, table), '(id integer, note varchar)');
    }
    await make('VIEW', quoted(catalog, schema, 'v'), `AS SELECT id, note FROM ${quoted(catalog, schema, 'orders')}`);
    const hostile: string[] = [];
    for (const name of NAMES) {
      if (await make('TABLE', quoted(catalog, schema, name), '(id integer)')) hostile.push(name);
    }
    const objects = await describable(admin, catalog, schema);
    const seen = new Set<string>();
    const through = { ...connection, proxies: { https: proxy.url } };
    return {
      stop,
      harness: {
        connector: narrowed(abilitiesFor(objects)),
        connection: through,
        wrongCredentials: { ...through, authType: { password: 'wrong secret' }, password: undefined },
        unreachable: { ...connection, hostPort: '127.0.0.1:1' },
        secrets: [config.login.password, 'wrong secret'],
        objects,
        hostileObjects: hostile.map((name) => ({ ref: trinoRef('table', catalog, schema, name), kind: 'table' })),
        missing: [
          { what: 'a table', ref: trinoRef('table', catalog, schema, 'gone') },
          { what: 'a schema', ref: trinoRef('table', catalog, `${schema}_gone`, 'orders') },
          { what: 'a column', ref: trinoRef('column', catalog, schema, 'orders', 'gone') },
        ],
        dump: () => dumpSchema(admin, catalog, schema),
        dumpKeys: (object, aspect) => [trinoDumpKey(object, aspect)],
        async executed() {
          const rows = await admin.rows(
            "SELECT query_id, state, query FROM system.runtime.queries WHERE source LIKE 'backflow/conformance/%' ORDER BY created, query_id",
            queryRow,
          );
          const fresh = rows.filter(([id]) => !seen.has(id));
          for (const [id] of fresh) seen.add(id);
          return fresh
            .filter(([, state, sql]) => state === 'FINISHED' && /^COMMENT/i.test(sql))
            .map(([, , sql]) => sql.replace(/ \/\*traceparent='[^']*'\*\/$/, ''));
        },
        breakConnections: async () => proxy.breakAll(),
      },
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

function connectionOf(address: string): object {
  const url = new URL(address);
  return {
    hostPort: url.port === '' ? `${url.hostname}:443` : url.host,
    username: decodeURIComponent(url.username),
    authType: { password: decodeURIComponent(url.password) },
    catalog: decodeURIComponent(url.pathname.slice(1)),
  };
}

/** Those of the objects whose comments the catalog keeps, found out by writing one. */
async function describable(
  admin: StatementClient,
  catalog: string,
  schema: string,
): Promise<readonly WritableObject[]> {
  const objects: WritableObject[] = [];
  const tables = [
    ['orders', 'table'],
    ['customers', 'table'],
    ['v', 'view'],
  ] as const;
  for (const [table, kind] of tables) {
    if (await tried(admin, `COMMENT ON ${kind} ${quoted(catalog, schema, table)} IS NULL`)) {
      objects.push({ ref: trinoRef('table', catalog, schema, table), kind });
    }
    for (const column of ['id', 'note']) {
      if (await tried(admin, `COMMENT ON COLUMN ${quoted(catalog, schema, table, column)} IS NULL`)) {
        objects.push({ ref: trinoRef('column', catalog, schema, table, column), kind });
      }
    }
  }
  return objects;
}

function abilitiesFor(objects: readonly WritableObject[]): readonly Ability[] {
  return TRINO_DESCRIPTIONS.spec.abilities
    .map((ability) => ({
      ...ability,
      kinds: ability.kinds.filter((kind) =>
        objects.some((one) => one.kind === kind && one.ref.level === ability.level),
      ),
    }))
    .filter(({ kinds }) => kinds.length > 0);
}

async function dumpSchema(admin: StatementClient, catalog: string, schema: string): Promise<Map<string, string>> {
  const query = `SELECT table_name, column_name, comment, data_type FROM ${quoted(catalog)}.information_schema.columns WHERE table_schema = '${schema}'
UNION ALL SELECT table_name, NULL, comment, '' FROM system.metadata.table_comments WHERE catalog_name = '${catalog.replaceAll("'", "''")}' AND schema_name = '${schema}'`;
  const dump = new Map<string, string>();
  for (const [table, column, comment, type] of await admin.rows(query, textRow)) {
    const address = JSON.stringify([catalog, schema, table, column].filter((name) => name != null));
    if (comment != null && comment !== '') dump.set(`description ${address}`, comment);
    dump.set(`definition ${address}`, type ?? '');
  }
  return dump;
}

async function tried(client: StatementClient, statement: string): Promise<boolean> {
  try {
    await client.run(statement);
    return true;
  } catch (error) {
    if (error instanceof ConnectorError && error.scope === 'object') return false;
    throw error;
  }
}
