import type { ConformanceHarness, RunningHarness, WritableObject } from '../../connectors/conformance/harness.ts';
import { mssqlConnector } from '../../connectors/mssql/connector.ts';
import type { ObjectRef } from '../../src/domain/operation.ts';
import { dumpMssql, mssqlDumpKey } from './mssql-dump.ts';
import { CLASS, type DatabaseModel } from './mssql-model.ts';
import { MssqlPeer } from './mssql-server.ts';

export const SHOP = 'shop';
export const MSSQL_PASSWORD = "login 'secret' ü";

/** As wild as SQL Server lets names be: at most 128 UTF-16 units, anything but NUL. */
export const HOSTILE_NAMES = [
  'it\'s "quoted"',
  'back\\slash\\',
  'new\nline\r\n',
  'dots.and [brackets]]',
  '--comment /* open',
  '@variable ::',
  'emoji 😀 שלום',
  "'; DROP TABLE canary; --",
  'MiXeD',
  'x'.repeat(128),
];

export function mssqlRef(level: ObjectRef['level'], ...names: readonly string[]): ObjectRef {
  const [schema, table, column] = names;
  const entityType = level === 'database' ? 'database' : level === 'schema' ? 'databaseSchema' : 'table';
  return {
    level,
    entityType,
    fqn: ['mssql', SHOP, ...names].join('.'),
    service: 'mssql',
    database: SHOP,
    ...(schema === undefined ? {} : { schema }),
    ...(table === undefined ? {} : { table }),
    ...(column === undefined ? {} : { column: [column] }),
  };
}

const TABLES = [
  ['orders', 'table', 'note'],
  ['customers', 'table', 'name'],
  ['order_view', 'view', 'note'],
] as const;

const objects: readonly WritableObject[] = [
  { ref: mssqlRef('database'), kind: 'database' },
  { ref: mssqlRef('schema', 'annex'), kind: 'schema' },
  ...TABLES.flatMap(([table, kind, column]) => [
    { ref: mssqlRef('table', 'app', table), kind },
    { ref: mssqlRef('column', 'app', table, 'id'), kind },
    { ref: mssqlRef('column', 'app', table, column), kind },
  ]),
];

const hostileObjects: readonly WritableObject[] = HOSTILE_NAMES.flatMap((name) => [
  { ref: mssqlRef('schema', name), kind: 'schema' },
  { ref: mssqlRef('table', name, name), kind: 'table' },
  { ref: mssqlRef('column', name, name, name), kind: 'table' },
]);

/** The sample database: what the documented privileges give the login `backflow`, and one schema that is closed to it. */
function furnish(peer: MssqlPeer): DatabaseModel {
  const { model } = peer;
  model.login('backflow', MSSQL_PASSWORD);
  for (const name of ['shop_owner', 'sales', 'finance']) model.login(name, 'unused').impersonators.add('backflow');
  const shop = model.database(SHOP, 'shop_owner');
  const user = shop.principal('backflow', 'backflow');
  for (const role of ['sales', 'finance']) user.memberOf.add(shop.principal(role).id);
  shop.principal('locked_away');
  for (const permission of ['ALTER', 'VIEW DEFINITION', 'TAKE OWNERSHIP']) {
    shop.grant(permission, 'backflow', { class: CLASS.database, majorId: 0 });
  }
  for (const name of ['app', 'annex', ...HOSTILE_NAMES]) shop.schema(name, 'backflow');
  for (const [table, kind, column] of TABLES) shop.object('app', table, kind === 'view' ? 'V' : 'U', ['id', column]);
  for (const name of HOSTILE_NAMES) shop.object(name, name, 'U', [name, 'other']);
  const canary = shop.object('app', 'canary', 'U', ['id']);
  describe(shop, canary.id, 'sings');
  return shop;
}

function describe(database: DatabaseModel, objectId: number, value: string): void {
  const row = { class: CLASS.object, majorId: objectId, minorId: 0, name: 'MS_Description', value };
  database.properties.set(JSON.stringify([row.class, row.majorId, row.minorId, 'ms_description']), row);
}

export interface MssqlHarness extends RunningHarness {
  readonly peer: MssqlPeer;
  readonly shop: DatabaseModel;
}

/** A peer with a sample database, whose connector logs in with the documented privileges. */
export async function startMssqlHarness(): Promise<MssqlHarness> {
  const peer = await MssqlPeer.start();
  const shop = furnish(peer);
  const secret = shop.schema('secret', 'locked_away');
  const vault = shop.object('secret', 'vault', 'U', ['id']);
  describe(shop, vault.id, 'closed');
  // ALTER on the database reaches everywhere but here.
  shop.deny('ALTER', 'backflow', { class: CLASS.schema, majorId: secret.id });
  const connection = {
    type: 'Mssql',
    scheme: 'mssql+pytds',
    hostPort: peer.hostPort,
    username: 'backflow',
    password: MSSQL_PASSWORD,
    database: SHOP,
    encrypt: false,
  };
  const harness: ConformanceHarness = {
    connector: mssqlConnector,
    connection,
    wrongCredentials: { ...connection, password: 'wrong secret' },
    unreachable: { ...connection, hostPort: '127.0.0.1:1' },
    secrets: [MSSQL_PASSWORD, 'wrong secret'],
    objects,
    hostileObjects,
    missing: [
      { what: 'a schema', ref: mssqlRef('schema', 'gone') },
      { what: 'a table', ref: mssqlRef('table', 'app', 'gone') },
      { what: 'a table of a missing schema', ref: mssqlRef('table', 'gone', 'orders') },
      { what: 'a column', ref: mssqlRef('column', 'app', 'orders', 'gone') },
      { what: 'a column of a missing table', ref: mssqlRef('column', 'app', 'gone', 'id') },
      { what: 'a database that is not covered', ref: { ...mssqlRef('database'), database: 'master' } },
    ],
    principals: { first: 'sales', second: 'finance', missing: "nobody]'here" },
    forbidden: { ref: mssqlRef('table', 'secret', 'vault'), kind: 'table' },
    dump: async () => dumpMssql(peer.model),
    dumpKeys: (object, aspect) => [mssqlDumpKey(object, aspect)],
    executed: async () => peer.takeJournal().map(({ statement }) => statement),
    breakConnections: async () => peer.endSessions(),
    async hold(object) {
      const schema = shop.findSchema(object.schema ?? '');
      const held = schema === undefined ? undefined : shop.findObject(schema.id, object.table ?? '');
      if (held === undefined) throw new Error('nothing to hold');
      const holder = {};
      await peer.locks.acquire(`${CLASS.object} ${held.id}`, holder, -1, new AbortController().signal);
      return async () => peer.locks.releaseAll(holder);
    },
    templateFor(object, text) {
      const kind = objects.find((one) => one.ref.level === object.level && one.ref.table === object.table)?.kind;
      const levels = [
        ['schema', object.schema],
        [kind ?? 'table', object.table],
        ['column', object.column?.[0]],
      ].filter(([, name]) => name !== undefined);
      const address = levels.map(
        ([type, name], level) => `, @level${level}type = '${type}', @level${level}name = '${name}'`,
      );
      const stands = dumpMssql(peer.model).has(mssqlDumpKey(object, 'description'));
      return [
        `exec sys.sp_${stands ? 'update' : 'add'}extendedproperty @name = 'MS_Description', @value = 'interim'${address.join('')}`,
        `exec sys.sp_updateextendedproperty @name = N'MS_Description', @value = N'${text.replaceAll("'", "''")}'${address.join('')} -- of a template`,
      ];
    },
  };
  return { harness, peer, shop, stop: () => peer.stop() };
}
