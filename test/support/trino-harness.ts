import type { ConformanceHarness, RunningHarness, WritableObject } from '../../connectors/conformance/harness.ts';
import { trinoConnector } from '../../connectors/trino/connector.ts';
import type { Aspect } from '../../src/domain/entity.ts';
import type { ObjectRef } from '../../src/domain/operation.ts';
import { selfSignedCertificate } from './self-signed-certificate.ts';
import type { TrinoModel } from './trino-model.ts';
import { quoted } from './trino-quoted.ts';
import { startTrinoServer, type TrinoServer } from './trino-server.ts';

/** As wild as Trino lets names be; the engine knows no capitals. */
export const TRINO_HOSTILE_NAMES = [
  'it\'s "quoted"',
  'back\\slash\\',
  'new\nline\r\n',
  'dots.and blanks ',
  '--comment /* open',
  '$$ $tag$ {brace}',
  'emoji 😀 שלום',
  "'; drop table canary; --",
  'x'.repeat(200),
];

export function trinoRef(level: ObjectRef['level'], ...names: readonly string[]): ObjectRef {
  const [database = '', schema, table, column] = names;
  const entityType = level === 'database' ? 'database' : level === 'schema' ? 'databaseSchema' : 'table';
  return {
    level,
    entityType,
    fqn: ['trino', ...names].join('.'),
    service: 'trino',
    database,
    ...(schema === undefined ? {} : { schema }),
    ...(table === undefined ? {} : { table }),
    ...(column === undefined ? {} : { column: [column] }),
  };
}

/** Tables and views of a catalog that supports everything, and a materialized view of another, whose columns can be described. */
export const TRINO_OBJECTS: readonly WritableObject[] = [
  { ref: trinoRef('database', 'lake'), kind: 'catalog' },
  { ref: trinoRef('schema', 'lake', 'annex'), kind: 'schema' },
  ...(
    [
      ['orders', 'table'],
      ['customers', 'table'],
      ['order_view', 'view'],
    ] as const
  ).flatMap(([table, kind]) => [
    { ref: trinoRef('table', 'lake', 'app', table), kind },
    { ref: trinoRef('column', 'lake', 'app', table, 'id'), kind },
    { ref: trinoRef('column', 'lake', 'app', table, 'note'), kind },
  ]),
  { ref: trinoRef('column', 'ice', 'app', 'totals', 'id'), kind: 'materialized view' },
];

export const TRINO_MISSING = [
  { what: 'a catalog', ref: trinoRef('table', 'gone', 'app', 'orders') },
  { what: 'a schema', ref: trinoRef('schema', 'lake', 'gone') },
  { what: 'a table', ref: trinoRef('table', 'lake', 'app', 'gone') },
  { what: 'a table of a missing schema', ref: trinoRef('table', 'lake', 'gone', 'orders') },
  { what: 'a column', ref: trinoRef('column', 'lake', 'app', 'orders', 'gone') },
  { what: 'a column of a missing table', ref: trinoRef('column', 'lake', 'app', 'gone', 'id') },
];

export const TRINO_HOSTILE_OBJECTS: readonly WritableObject[] = TRINO_HOSTILE_NAMES.flatMap((name) => [
  { ref: trinoRef('table', 'memory', name, name), kind: 'table' },
  { ref: trinoRef('column', 'memory', name, name, name), kind: 'table' },
]);

/** Trino tells nobody the owner of a table or view. */
export function trinoUnreadable({ level }: ObjectRef, aspect: Aspect): boolean {
  return aspect === 'owners' && level === 'table';
}

export function trinoDumpKey(ref: ObjectRef, aspect: Aspect): string {
  return `${aspect} ${JSON.stringify([ref.database, ref.schema, ref.table, ...(ref.column ?? [])].filter((name) => name !== undefined))}`;
}

/** Statements that give this object this description, as a template would render them. */
export function trinoTemplate(ref: ObjectRef, text: string): readonly string[] {
  const names = [ref.database, ref.schema ?? '', ref.table ?? '', ...(ref.column ?? [])];
  const kind = TRINO_OBJECTS.find((one) => one.ref.level === ref.level && one.ref.table === ref.table)?.kind ?? 'table';
  const address = `${ref.level === 'column' ? 'column' : kind} ${quoted(...names)}`;
  return [
    `comment on ${address} is 'interim'`,
    `comment on ${address} is '${text.replaceAll("'", "''")}' -- of a template`,
  ];
}

function fill(model: TrinoModel): void {
  const lake = { connector: 'hive', schemas: new Map(), roles: new Set(['finance']) } as const;
  model.catalogs.set('lake', lake);
  model.catalogs.set('ice', { connector: 'iceberg', schemas: new Map(), roles: new Set() });
  lake.schemas.set('annex', { owner: 'admin', tables: new Map() });
  for (const { ref, kind } of TRINO_OBJECTS.filter(({ ref: { level } }) => level === 'column')) {
    const columns = ['id', 'note'];
    if (kind === 'table' || kind === 'view' || kind === 'materialized view') {
      model.addTable([ref.database, ref.schema ?? '', ref.table ?? ''], columns, kind);
    }
  }
  for (const name of TRINO_HOSTILE_NAMES) model.addTable(['memory', name, name], [name, 'other']);
  model.addTable(['memory', 'app', 'canary'], ['id']).comment = 'sings';
  model.addTable(['memory', 'secret', 'vault'], ['id']).comment = 'closed';
  model.denied.add('memory.secret.vault');
}

export function dumpTrinoModel(model: TrinoModel): Map<string, string> {
  const dump = new Map<string, string>();
  const put = (aspect: string, names: readonly string[], value: string | null): void => {
    if (value !== null && value !== '') dump.set(`${aspect} ${JSON.stringify(names)}`, value);
  };
  for (const [catalog, { schemas }] of model.catalogs) {
    for (const [schema, { owner, tables }] of schemas) {
      put('owners', [catalog, schema], owner);
      for (const [name, table] of tables) {
        const address = [catalog, schema, name];
        put('owners', address, table.owner);
        put('description', address, table.comment);
        put('definition', address, `${table.kind} ${[...table.columns.keys()].join()} ${[...table.grants].join()}`);
        for (const [column, comment] of table.columns) put('description', [...address, column], comment);
      }
    }
  }
  return dump;
}

const PASSWORD = "trino secret '%'";

/** The model behind TLS and passwords, with an account that has the documented privileges. */
export async function startTrinoHarness(): Promise<RunningHarness & { readonly server: TrinoServer }> {
  const tls = selfSignedCertificate('a model of Trino');
  const server = await startTrinoServer({ tls, passwords: { backflow: PASSWORD }, pageRows: 5 });
  fill(server.model);
  const connection = {
    type: 'Trino',
    scheme: 'trino',
    username: 'backflow',
    authType: { password: PASSWORD },
    hostPort: `127.0.0.1:${server.port}`,
    catalog: 'lake',
    sslConfig: { caCertificate: tls.cert },
  };
  const harness: ConformanceHarness = {
    connector: trinoConnector,
    connection,
    wrongCredentials: { ...connection, authType: { password: 'wrong secret' } },
    unreachable: { ...connection, hostPort: '127.0.0.1:1' },
    secrets: [PASSWORD, 'wrong secret'],
    objects: TRINO_OBJECTS,
    hostileObjects: TRINO_HOSTILE_OBJECTS,
    missing: TRINO_MISSING,
    principals: { first: 'ada', second: 'grace', missing: 'role:nobody' },
    forbidden: { ref: trinoRef('table', 'memory', 'secret', 'vault'), kind: 'table' },
    unreadable: trinoUnreadable,
    dump: async () => dumpTrinoModel(server.model),
    dumpKeys: (object, aspect) => [trinoDumpKey(object, aspect)],
    async executed() {
      const statements = server.executed.splice(0).map(({ sql }) => sql);
      return statements
        .filter((sql) => /^(COMMENT|ALTER)/i.test(sql))
        .map((sql) => sql.replace(/ \/\*traceparent='[^']*'\*\/$/, ''));
    },
    breakConnections: async () => server.breakConnections(),
    templateFor: trinoTemplate,
  };
  return { harness, server, stop: () => server.stop() };
}
