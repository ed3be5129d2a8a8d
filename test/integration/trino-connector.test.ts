import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Connection, PlannedWrite, PlanOptions, SourceObject, WriteResult } from '../../connectors/contract.ts';
import { openTrino } from '../../connectors/trino/connection.ts';
import { planTrino } from '../../connectors/trino/plan.ts';
import { trinoSpec } from '../../connectors/trino/spec.ts';
import type { ObjectRef, Operation } from '../../src/domain/operation.ts';
import { trinoRef } from '../support/trino-harness.ts';
import { ModelError } from '../support/trino-model.ts';
import { type Fault, failed, startTrinoServer, type TrinoServer } from '../support/trino-server.ts';

let server: TrinoServer;
let connection: Connection;

const open = (times = {}): Promise<Connection> =>
  openTrino(
    trinoSpec.config.parse({ username: 'backflow', hostPort: `127.0.0.1:${server.port}` }),
    { lane: 'l', epoch: 1 },
    { backoffMs: 1, ...times },
  );

beforeEach(async () => {
  server = await startTrinoServer();
  const { model } = server;
  for (const connector of ['hive', 'iceberg', 'bare'] as const) {
    model.catalogs.set(connector, { connector, schemas: new Map(), roles: new Set(['finance']) });
    model.addTable([connector, 'app', 'orders'], ['id', 'note']);
    model.addTable([connector, 'app', 'v'], ['id'], 'view');
  }
  model.addTable(['memory', 'app', 'orders'], ['id']);
  connection = await open();
});

afterEach(async () => {
  await connection.close();
  await server.stop();
});

const describeAs = (object: ObjectRef, text: string | undefined): Operation => ({
  aspect: 'description',
  object,
  text,
});
const giveTo = (object: ObjectRef, principal: string): Operation => ({ aspect: 'owners', object, principal });

function planned(operation: Operation, source: SourceObject | undefined, options: PlanOptions = {}): PlannedWrite {
  const plan = planTrino(operation, source, options);
  if (!plan.ok) throw new Error(`refused: ${plan.error.failure.code}`);
  return { id: 'w', operation, plan: plan.value, options, source: source ?? { exists: true } };
}

async function readOne(object: ObjectRef): Promise<SourceObject> {
  const [source] = await connection.read([object]);
  if (source === undefined) throw new Error('nothing was read');
  return source;
}

async function write(operation: Operation, options: PlanOptions = {}): Promise<WriteResult | undefined> {
  return (await connection.apply([planned(operation, await readOne(operation.object), options)]))[0];
}

const failing =
  (fits: RegExp, error: ModelError): Fault =>
  (request, response) => {
    if (request.method !== 'POST' || !fits.test(request.body)) return false;
    failed(response, 'q', error);
    return true;
  };

const orders = (catalog: string) => trinoRef('table', catalog, 'app', 'orders');
const view = (catalog: string) => trinoRef('table', catalog, 'app', 'v');

describe('what a catalog lacks', () => {
  it('is remembered after the first refusal, for this catalog and this kind of write alone', async () => {
    expect(await write(giveTo(orders('iceberg'), 'ada'))).toMatchObject({
      ok: false,
      failure: { class: 'unsupported' },
    });
    const source = await readOne(orders('iceberg'));
    const again = planTrino(giveTo(orders('iceberg'), 'ada'), source, {});
    expect(again).toMatchObject({ ok: false, error: { outcome: 'skipped', failure: { code: 'connector-lacks' } } });
    expect(JSON.stringify(again)).toContain('iceberg');
    // Views, schemas, comments and other catalogs are not meant.
    expect(await write(describeAs(orders('iceberg'), 'x'))).toMatchObject({ ok: true, verified: 'read' });
    expect(await write(giveTo(trinoRef('schema', 'iceberg', 'app'), 'ada'))).toMatchObject({
      ok: true,
      verified: 'read',
    });
    expect(await write(giveTo(orders('hive'), 'ada'))).toMatchObject({ ok: true });
  });

  it('is found for comments too', async () => {
    expect(await write(describeAs(orders('bare'), 'x'))).toMatchObject({
      ok: false,
      failure: { code: 'NOT_SUPPORTED' },
    });
    expect(planTrino(describeAs(orders('bare'), 'x'), await readOne(orders('bare')), {}).ok).toBe(false);
    const column = trinoRef('column', 'bare', 'app', 'orders', 'id');
    expect(planTrino(describeAs(column, 'x'), await readOne(column), {}).ok).toBe(true);
  });

  it('is not concluded from what one object does not allow', async () => {
    server.faults.push(failing(/^COMMENT/, new ModelError('NOT_SUPPORTED', 'Table has reader version 9')));
    expect(await write(describeAs(orders('hive'), 'x'))).toMatchObject({
      ok: false,
      failure: { class: 'unsupported' },
    });
    expect(await write(describeAs(orders('hive'), 'x'))).toMatchObject({ ok: true });
  });

  it('says that roles cannot own a table, and still gives it to users', async () => {
    expect(await write(giveTo(orders('hive'), 'role:finance'))).toMatchObject({
      ok: false,
      failure: { class: 'unsupported' },
    });
    expect(await write(giveTo(orders('hive'), 'ada'))).toMatchObject({ ok: true, verified: 'no' });
    expect(await write(giveTo(trinoRef('schema', 'hive', 'app'), 'role:finance'))).toMatchObject({
      ok: true,
      verified: 'read',
    });
    expect((await readOne(trinoRef('schema', 'hive', 'app'))).owner).toBe('role:finance');
  });
});

describe('views of Hive with grants', () => {
  it('are not described, since the grants would be lost', async () => {
    const table = server.model.table(['hive', 'app', 'v']);
    table?.grants.add('bob');
    for (const object of [view('hive'), trinoRef('column', 'hive', 'app', 'v', 'id')]) {
      const plan = planTrino(describeAs(object, 'x'), await readOne(object), {});
      expect(plan).toMatchObject({ ok: false, error: { outcome: 'skipped', failure: { code: 'view-grants' } } });
    }
    expect(await write(giveTo(view('hive'), 'ada'))).toMatchObject({ ok: true });
    expect(table?.grants).toEqual(new Set(['bob']));
    const report = await connection.check([view('hive')]);
    expect(report.findings.map(({ message }) => message).join()).toContain('grants that a comment would take away');
  });

  it('are recognised also where the account may not see which connector a catalog has', async () => {
    server.model.table(['hive', 'app', 'v'])?.grants.add('bob');
    await connection.close();
    connection = await open();
    server.faults.push(failing(/system\.metadata\.catalogs/, new ModelError('PERMISSION_DENIED', 'Access Denied')));
    expect((await readOne(view('hive'))).detail).toMatchObject({ grantsAtStake: true });
  });

  it('are described when there is no grant', async () => {
    expect(await write(describeAs(view('hive'), 'x'))).toMatchObject({ ok: true, verified: 'read' });
  });
});

describe('writing', () => {
  it('plans anew when the object has become one of another kind since it was read', async () => {
    const stale: SourceObject = { exists: true, kind: 'table' };
    const [result] = await connection.apply([planned(describeAs(view('hive'), 'x'), stale)]);
    expect(result).toMatchObject({
      ok: true,
      verified: 'read',
      statements: [`COMMENT ON VIEW "hive"."app"."v" IS 'x'`],
      notes: [expect.stringContaining('is a view now')],
    });
  });

  it('does not plan anew what may not be written', async () => {
    server.model.table(['hive', 'app', 'v'])?.grants.add('bob');
    const [result] = await connection.apply([planned(describeAs(view('hive'), 'x'), { exists: true, kind: 'table' })]);
    expect(result).toMatchObject({ ok: false, failure: { code: 'view-grants' } });
    expect(server.model.table(['hive', 'app', 'v'])?.grants).toEqual(new Set(['bob']));
  });

  it('looks what became of a statement that took too long', async () => {
    await connection.close();
    connection = await open({ statementMs: 100 });
    const source = await readOne(orders('hive'));
    server.holding = /^COMMENT/;
    const [lost] = await connection.apply([planned(describeAs(orders('hive'), 'x'), source)]);
    expect(lost).toMatchObject({
      ok: false,
      failure: { class: 'transient', scope: 'object', code: 'statement-timeout' },
    });
    // A server may carry out what it was asked to stop; the first look may come before that.
    server.appliesCancelled = true;
    await expect
      .poll(async () => (await connection.apply([planned(describeAs(orders('hive'), 'y'), source)]))[0], {
        timeout: 10_000,
      })
      .toMatchObject({ ok: true, verified: 'read', notes: [expect.stringContaining('carried out all the same')] });
  });

  it.each([
    ['keeps nothing', () => null, { class: 'unsupported', code: 'comment-not-kept' }],
    ['changes the text', (text: string) => text.replace('é', '?'), { class: 'conflict', code: 'read-back-differs' }],
  ])('notices a system behind the catalog that %s', async (_, stored, failure) => {
    server.model.stored = stored;
    expect(await write(describeAs(orders('hive'), 'café'))).toMatchObject({ ok: false, failure });
  });

  it('tells a lost race as a conflict of that table, and writes the others', async () => {
    const error = new ModelError('ICEBERG_COMMIT_ERROR', 'Failed to commit', 'EXTERNAL');
    server.faults.push(failing(/COMMENT ON TABLE "iceberg"/, error));
    const writes = ['iceberg', 'hive', 'memory'].map((catalog) => ({
      ...planned(describeAs(orders(catalog), catalog), { exists: true, kind: 'table' }),
      id: catalog,
    }));
    const results = new Map((await connection.apply(writes)).map((result) => [result.id, result]));
    expect(results.get('iceberg')).toMatchObject({ ok: false, failure: { class: 'conflict', scope: 'object' } });
    expect(results.get('hive')).toMatchObject({ ok: true });
    expect(results.get('memory')).toMatchObject({ ok: true });
  });

  it('runs the writes of one table one after the other, and owners last', async () => {
    const source: SourceObject = { exists: true, kind: 'table' };
    const writes = [
      giveTo(orders('hive'), 'ada'),
      describeAs(orders('hive'), 'one'),
      describeAs(trinoRef('column', 'hive', 'app', 'orders', 'id'), 'two'),
      describeAs(trinoRef('column', 'hive', 'app', 'orders', 'note'), 'three'),
    ].map((operation, i) => ({ ...planned(operation, source), id: String(i) }));
    expect((await connection.apply(writes)).every(({ ok }) => ok)).toBe(true);
    const written = server.executed.map(({ sql }) => sql).filter((sql) => !/^(SELECT|SHOW)/.test(sql));
    expect(written.map((sql) => /'(\w+)'|"ada"/.exec(sql)?.[0])).toEqual([`'one'`, `'two'`, `'three'`, '"ada"']);
    const open = server.requests.filter(({ method, body }) => method === 'POST' && body.startsWith('COMMENT'));
    expect(open.length).toBe(3);
  });

  it('throws what concerns the whole target', async () => {
    const queue = new ModelError('QUERY_QUEUE_FULL', 'Too many', 'INSUFFICIENT_RESOURCES');
    server.faults.push(failing(/^COMMENT/, queue));
    const write = planned(describeAs(orders('hive'), 'x'), { exists: true, kind: 'table' });
    await expect(connection.apply([write])).rejects.toMatchObject({ class: 'throttled', failure: { scope: 'target' } });
  });
});

describe('check', () => {
  it('names what is missing and how to give it, without writing anything', async () => {
    const { model } = server;
    for (const path of ['hive.app.orders', 'memory.app.orders']) model.denied.add(path);
    const before = JSON.stringify(
      [...model.catalogs.keys()].map((name) => model.table([name, 'app', 'orders'])?.comment ?? null),
    );
    const report = await connection.check([
      orders('hive'),
      orders('memory'),
      orders('iceberg'),
      trinoRef('column', 'memory', 'app', 'orders', 'id'),
      trinoRef('table', 'memory', 'app', 'gone'),
    ]);
    expect(report).toMatchObject({ ok: false, server: 'Trino 476', user: 'backflow' });
    const errors = report.findings.filter(({ severity }) => severity === 'error');
    expect(errors.map(({ message }) => message)).toEqual([
      'The account may not set comments on hive.app.orders.',
      'The account may not set comments on memory.app.orders.',
      'The account may not set comments on memory.app.orders.id.',
    ]);
    expect(errors[0]?.remedy).toContain('GRANT admin TO USER "backflow" IN "hive"');
    expect(errors[1]?.remedy).toContain(
      '{"tables":[{"user":"backflow","catalog":"memory","schema":"app","table":"orders","privileges":["SELECT","OWNERSHIP"]}]}',
    );
    const warnings = report.findings.filter(({ severity }) => severity === 'warning').map(({ message }) => message);
    expect(warnings.join('\n')).toContain('memory.app.gone does not exist');
    expect(warnings.join('\n')).toContain('may not change the owner of hive.app.orders');
    const after = JSON.stringify(
      [...model.catalogs.keys()].map((name) => model.table([name, 'app', 'orders'])?.comment ?? null),
    );
    expect(after).toBe(before);
    const written = server.executed.filter(({ sql }) => /^(COMMENT|ALTER)/.test(sql));
    expect(written).toEqual([]);
  });

  it('asks nothing that could count when the server opens no transaction', async () => {
    // As an older server or a proxy that drops the header would answer.
    server.faults.push((request, response) => {
      if (request.method !== 'POST' || !request.body.startsWith('START')) return false;
      response.writeHead(200).end(JSON.stringify({ id: 'q', stats: { state: 'FINISHED' } }));
      return true;
    });
    const column = trinoRef('column', 'memory', 'app', 'orders', 'id');
    expect((await connection.check([column])).ok).toBe(true);
    expect(server.requests.some(({ body }) => body.startsWith('COMMENT'))).toBe(false);
  });
});
