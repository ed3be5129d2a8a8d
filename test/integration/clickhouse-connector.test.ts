import { SpanStatusCode, trace } from '@opentelemetry/api';
import { InMemorySpanExporter, NodeTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { clickhouseConnector } from '../../connectors/clickhouse/connector.ts';
import type { Connection, PlannedWrite, SourceObject, WriteResult } from '../../connectors/contract.ts';
import type { ObjectRef } from '../../src/domain/operation.ts';
import { OBJECTS, ref, WRITING } from '../support/clickhouse-harness.ts';
import { type ClickhouseServer, startClickhouse, TEST_CLUSTER } from '../support/clickhouse-server.ts';

const CLUSTER_GRANTS = [
  'CLUSTER, REMOTE ON *.*',
  'SHOW COLUMNS ON system.databases',
  'SHOW COLUMNS ON system.tables',
  'SHOW COLUMNS ON system.columns',
];

const ACCOUNTS = {
  writer: [
    `${WRITING} ON app.*`,
    `${WRITING} ON annex.*`,
    `${WRITING} ON files.*`,
    'INSERT ON app.*',
    'CLUSTER ON *.*',
  ],
  cluster: [`${WRITING} ON *.*`, ...CLUSTER_GRANTS],
  tables: ['ALTER MODIFY COMMENT ON app.*', 'SHOW TABLES ON *.*', 'SHOW COLUMNS ON app.*'],
};

let server: ClickhouseServer;
const open: Connection[] = [];

beforeAll(async () => {
  const accounts = Object.entries(ACCOUNTS).map(([user, grants]) => ({ user, password: `of ${user}`, grants }));
  server = await startClickhouse({ accounts });
  for (const query of [...OBJECTS, 'CREATE DATABASE files ENGINE = Filesystem']) await server.admin.command({ query });
});

afterAll(async () => {
  for (const connection of open) await connection.close();
  await server?.stop();
});

async function connect(user: keyof typeof ACCOUNTS, more: object = {}): Promise<Connection> {
  const config = clickhouseConnector.spec.config.parse({
    hostPort: `${server.host}:${server.port}`,
    username: user,
    password: `of ${user}`,
    ...more,
  });
  const connection = await clickhouseConnector.open(config, { lane: 'click/0', epoch: 7 });
  open.push(connection);
  return connection;
}

function describing(
  object: ObjectRef,
  text: string | undefined,
  source: SourceObject,
  template?: readonly string[],
): PlannedWrite {
  const operation = { aspect: 'description', object, text } as const;
  const options = template === undefined ? {} : { template };
  const planned = clickhouseConnector.plan(operation, source, options);
  if (!planned.ok) throw new Error(planned.error.failure.code);
  return {
    id: JSON.stringify([object.level, object.schema, object.table, object.column]),
    operation,
    plan: planned.value,
    options,
    source,
  };
}

async function planned(
  connection: Connection,
  texts: readonly (readonly [ObjectRef, string | undefined])[],
): Promise<readonly PlannedWrite[]> {
  const sources = await connection.read(texts.map(([object]) => object));
  return texts.map(([object, text], index) => describing(object, text, sources[index] ?? { exists: false }));
}

function refusal(object: ObjectRef, source: SourceObject | undefined) {
  const result = clickhouseConnector.plan({ aspect: 'description', object, text: 'x' }, source, {});
  return result.ok ? 'planned' : `${result.error.outcome} ${result.error.failure.code}`;
}

const codeOf = (result: WriteResult | undefined) => (result?.ok === false ? result.failure.code : result?.verified);

describe('what ClickHouse would accept and lose', () => {
  it('is refused with a reason, and caught by reading back where nobody could know', async () => {
    const connection = await connect('writer');
    const column = ref('column', 'app', 'order_log', 'id');
    const [source] = await connection.read([column]);
    expect(refusal(column, source)).toBe('skipped materialized-view-column');
    const blind = describing(column, 'lost', { exists: true });
    expect(codeOf((await connection.apply([blind]))[0])).toBe('comment-not-kept');
    expect((await connection.read([column]))[0]?.description).toBeUndefined();
  });

  it('skips what has no place for a comment', async () => {
    const connection = await connect('cluster');
    const { data } = await (
      await server.admin.query({
        query: "SELECT name FROM system.tables WHERE database = 'app' AND name LIKE '.inner%'",
      })
    ).json<{ name: string }>();
    const cases = [
      [ref('database'), 'skipped no-target'],
      [ref('schema', 'system'), 'skipped system-object'],
      [ref('table', 'system', 'one'), 'skipped system-object'],
      [ref('table', 'app', data[0]?.name ?? 'none'), 'skipped inner-table'],
      [ref('column', 'app', 'names', 'name'), 'skipped dictionary-column'],
      [ref('column', 'app', 'orders', 'item'), 'skipped nested-parent'],
      [ref('column', 'app', 'orders', 'place', 'city'), 'skipped nested-field'],
      [ref('column', 'app', 'orders', 'item', 'price'), 'planned'],
      [ref('column', 'app', 'orders', 'item', 'gone'), 'failed column-missing'],
    ] as const;
    const sources = await connection.read(cases.map(([object]) => object));
    expect(cases.map(([object], index) => refusal(object, sources[index]))).toEqual(
      cases.map(([, expected]) => expected),
    );
  });

  it('reports a database whose engine keeps no comment', async () => {
    const connection = await connect('writer');
    const [result] = await connection.apply(await planned(connection, [[ref('schema', 'files'), 'x']]));
    expect(result).toMatchObject({ ok: false, failure: { class: 'unsupported', scope: 'object', code: '48' } });
  });
});

describe('batches', () => {
  it('write a table and its columns in one ALTER', async () => {
    const connection = await connect('writer');
    const writes = await planned(connection, [
      [ref('table', 'app', 'customers'), 'people'],
      [ref('column', 'app', 'customers', 'id'), 'number'],
      [ref('column', 'app', 'customers', 'name'), "it's"],
    ]);
    await server.journal();
    const results = await connection.apply(writes);
    const statement =
      "ALTER TABLE `app`.`customers` MODIFY COMMENT 'people', COMMENT COLUMN `id` 'number', COMMENT COLUMN `name` 'it''s'";
    expect(await server.journal()).toEqual([statement]);
    expect(results).toMatchObject([1, 2, 3].map(() => ({ ok: true, verified: 'read', statements: [statement] })));
  });

  it('let one bad column fail alone', async () => {
    const connection = await connect('writer');
    const good = await planned(connection, [
      [ref('column', 'app', 'customers', 'id'), 'still written'],
      [ref('column', 'app', 'customers', 'name'), 'this too'],
    ]);
    const bad = describing(ref('column', 'app', 'customers', 'gone'), 'x', { exists: true });
    const results = await connection.apply([...good.slice(0, 1), bad, ...good.slice(1)]);
    const codes = new Map(results.map((result) => [result.id, codeOf(result)]));
    expect([...good, bad].map(({ id }) => codes.get(id))).toEqual(['read', 'read', '10']);
  });

  it('never make a definition so long that the server could not load the table again', async () => {
    const connection = await connect('writer');
    const names = Array.from({ length: 6 }, (_, index) => `c${index}`);
    const list = names.map((name) => `${name} UInt8`).join(', ');
    await server.admin.command({ query: `CREATE TABLE app.wide (${list}) ENGINE = MergeTree ORDER BY c0` });
    // Doubles in size when it is quoted: three of them fit.
    const text = "'\\".repeat(16 * 1024);
    const objects = names.map((name) => ref('column', 'app', 'wide', name));
    const first = await connection.apply(
      await planned(
        connection,
        objects.map((object) => [object, text]),
      ),
    );
    const codes = first.map(codeOf).sort();
    expect(codes).toEqual([...Array(3).fill('definition-too-large'), ...Array(3).fill('read')]);
    const sources = await connection.read(objects);
    expect(sources.map(({ description }) => description === text)).toEqual([true, true, true, false, false, false]);
    expect(objects.map((object, index) => refusal(object, sources[index]))).toEqual(names.map(() => 'planned'));
    const full = clickhouseConnector.plan(
      { aspect: 'description', object: ref('column', 'app', 'wide', 'c3'), text },
      sources[3],
      {},
    );
    expect(full).toMatchObject({ ok: false, error: { outcome: 'failed', failure: { code: 'definition-too-large' } } });
    // What stands there already may be exchanged, and the table still loads.
    const changed = await planned(connection, [[ref('column', 'app', 'wide', 'c0'), text.replace("'", 'x')]]);
    expect((await connection.apply(changed)).map(codeOf)).toEqual(['read']);
    for (const query of ['DETACH TABLE app.wide', 'ATTACH TABLE app.wide']) await server.admin.command({ query });
  });

  it('run writes of one object in their order', async () => {
    const connection = await connect('writer');
    const object = ref('table', 'app', 'totals');
    const [first, second] = [
      describing(object, 'first', { exists: true }),
      describing(object, 'second', { exists: true }),
    ];
    const results = await connection.apply([
      { ...first, id: 'a' },
      { ...second, id: 'b' },
    ]);
    expect(results).toMatchObject([
      { id: 'a', value: 'first' },
      { id: 'b', value: 'second' },
    ]);
    expect((await connection.read([object]))[0]?.description).toBe('second');
  });
});

describe('ON CLUSTER', () => {
  const cluster = { backflow: { cluster: TEST_CLUSTER } };

  it('writes a table apart from its columns, and reads back from all servers', async () => {
    const connection = await connect('cluster', cluster);
    const writes = await planned(connection, [
      [ref('schema', 'annex'), 'beside'],
      [ref('table', 'app', 'orders'), 'all'],
      [ref('column', 'app', 'orders', 'id'), 'key'],
      [ref('column', 'app', 'orders', 'item', 'price'), 'each'],
    ]);
    await server.journal();
    const results = await connection.apply(writes);
    const statements = [
      `ALTER DATABASE \`annex\` ON CLUSTER \`${TEST_CLUSTER}\` MODIFY COMMENT 'beside'`,
      `ALTER TABLE \`app\`.\`orders\` ON CLUSTER \`${TEST_CLUSTER}\` MODIFY COMMENT 'all'`,
      `ALTER TABLE \`app\`.\`orders\` ON CLUSTER \`${TEST_CLUSTER}\` COMMENT COLUMN \`id\` 'key', COMMENT COLUMN \`item.price\` 'each'`,
    ];
    expect(await server.journal()).toEqual(statements);
    expect(results.map(codeOf)).toEqual(['read', 'read', 'read', 'read']);
    expect(results.every((result) => result.ok && result.notes === undefined)).toBe(true);
  });

  it('says so when the other servers may not be asked', async () => {
    const connection = await connect('writer', cluster);
    const [result] = await connection.apply(await planned(connection, [[ref('table', 'app', 'orders'), 'one']]));
    expect(result).toMatchObject({ ok: true, notes: [expect.stringContaining('one server only')] });
  });

  it('stops the whole target for a cluster that the server does not know', async () => {
    const connection = await connect('cluster', { backflow: { cluster: 'nowhere' } });
    const writes = await planned(connection, [[ref('table', 'app', 'orders'), 'never']]);
    await expect(connection.apply(writes)).rejects.toMatchObject({ failure: { code: '701', scope: 'target' } });
  });
});

describe('templates', () => {
  it('are proven only where the native comment says the same', async () => {
    const connection = await connect('writer');
    await server.admin.command({ query: 'CREATE TABLE app.notes (t String, d String) ENGINE = Memory' });
    const object = ref('table', 'app', 'totals');
    const native = describing(object, 'by a template', { exists: true }, [
      "ALTER TABLE app.totals MODIFY COMMENT 'by a template'",
    ]);
    const elsewhere = describing(ref('table', 'app', 'orders'), 'beside', { exists: true }, [
      "INSERT INTO app.notes VALUES ('orders', 'beside')",
    ]);
    const results = await connection.apply([native, elsewhere]);
    expect(results.map(codeOf)).toEqual(['read', 'no']);
    const notes = await server.admin.query({ query: 'SELECT t, d FROM app.notes', format: 'JSONCompactEachRow' });
    expect(await notes.json()).toEqual([['orders', 'beside']]);
  });

  it('cannot run two statements in one', async () => {
    const connection = await connect('writer');
    const object = ref('table', 'app', 'totals');
    const write = describing(object, 'x', { exists: true }, [
      "ALTER TABLE app.totals MODIFY COMMENT 'x'; DROP TABLE app.totals",
    ]);
    expect(codeOf((await connection.apply([write]))[0])).toBe('62');
  });
});

describe('check', () => {
  it('names each missing privilege with a statement that the server understands', async () => {
    const connection = await connect('tables');
    const report = await connection.check([
      ref('schema', 'app'),
      ref('table', 'app', 'orders'),
      ref('column', 'app', 'orders', 'id'),
      ref('column', 'app', 'names', 'id'),
      ref('table', 'secret', 'vault'),
      ref('table', 'app', 'gone'),
    ]);
    expect(report).toMatchObject({ ok: false, server: 'ClickHouse 26.7.2.1' });
    const remedies = report.findings.flatMap(({ severity, remedy }) => (severity === 'error' ? [remedy] : []));
    expect(remedies).toEqual([
      'GRANT ALTER MODIFY DATABASE COMMENT ON `app`.* TO `default`;',
      'GRANT ALTER COMMENT COLUMN ON `app`.`orders` TO `default`;',
      'GRANT ALTER MODIFY COMMENT ON `secret`.`vault` TO `default`;',
    ]);
    for (const remedy of remedies) {
      const result = await server.admin.query({ query: `SELECT formatQuery('${remedy}')` });
      expect(await result.text()).toContain('GRANT');
    }
    expect(report.findings).toContainEqual({
      severity: 'warning',
      message: expect.stringContaining('app.gone does not exist'),
    });
  });

  it('looks at all databases when no object is named, and finds nothing where all is granted', async () => {
    expect(await (await connect('cluster', { backflow: { cluster: TEST_CLUSTER } })).check([])).toMatchObject({
      ok: true,
      findings: [],
    });
    const report = await (await connect('writer')).check([]);
    expect(report.ok).toBe(true);
    const remedies = (await (await connect('tables')).check([])).findings.map(({ remedy }) => remedy);
    expect(remedies).toContain('GRANT ALTER COMMENT COLUMN ON `app`.* TO `default`;');
    expect(remedies).not.toContain('GRANT ALTER MODIFY COMMENT ON `app`.* TO `default`;');
  });

  it('names what a cluster needs', async () => {
    const report = await (await connect('tables', { backflow: { cluster: TEST_CLUSTER } })).check([
      ref('table', 'app', 'orders'),
    ]);
    expect(report.findings.map(({ severity, remedy }) => `${severity}: ${remedy}`)).toEqual([
      'warning: GRANT REMOTE ON *.* TO `default`;',
      'warning: GRANT SHOW COLUMNS ON system.databases TO `default`;',
      'warning: GRANT SHOW COLUMNS ON system.tables TO `default`;',
      'warning: GRANT SHOW COLUMNS ON system.columns TO `default`;',
    ]);
  });
});

describe('tracing', () => {
  it("puts the driver's spans under the active one, without any text of the catalogue, and makes none elsewhere", async () => {
    const exporter = new InMemorySpanExporter();
    const provider = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
    provider.register();
    const connection = await connect('writer');
    const [good] = await planned(connection, [[ref('table', 'app', 'totals'), 'a text of the catalogue']]);
    const bad = describing(ref('column', 'app', 'totals', 'gone'), 'a text of the catalogue', { exists: true });
    expect(exporter.getFinishedSpans()).toEqual([]);
    await provider.getTracer('test').startActiveSpan('write', async (span) => {
      await connection.apply(good === undefined ? [] : [good, { ...bad, id: 'bad' }]);
      span.end();
    });
    const spans = [...exporter.getFinishedSpans()];
    await provider.shutdown();
    trace.disable();
    const parent = spans.find(({ name }) => name === 'write');
    const commands = spans.filter(({ name }) => name === 'clickhouse.command');
    // Both in one ALTER, then each alone.
    const { ERROR, UNSET } = SpanStatusCode;
    expect(commands.map(({ status }) => status.code)).toEqual([ERROR, UNSET, ERROR]);
    expect(commands.map(({ parentSpanContext }) => parentSpanContext?.spanId)).toEqual(
      commands.map(() => parent?.spanContext().spanId),
    );
    expect(JSON.stringify(commands.map(({ attributes, events, status }) => [attributes, events, status]))).not.toMatch(
      /catalogue|totals/,
    );
  });
});
