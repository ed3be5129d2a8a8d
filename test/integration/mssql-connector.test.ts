import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ConnectorError } from '../../connectors/connector-error.ts';
import type { Connection, PlannedWrite, PlanOptions, SourceObject, WriteResult } from '../../connectors/contract.ts';
import { mssqlConnector } from '../../connectors/mssql/connector.ts';
import type { Operation, Tag } from '../../src/domain/operation.ts';
import { dumpMssql, mssqlDumpKey } from '../support/mssql-dump.ts';
import { type MssqlHarness, mssqlRef, SHOP, startMssqlHarness } from '../support/mssql-harness.ts';
import { CLASS } from '../support/mssql-model.ts';

const TRACE = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
const ORDERS = mssqlRef('table', 'app', 'orders');
const NOTE = mssqlRef('column', 'app', 'orders', 'note');

let running: MssqlHarness;
const open: Connection[] = [];

beforeEach(async () => {
  running = await startMssqlHarness();
});

afterEach(async () => {
  for (const connection of open.splice(0)) await connection.close();
  await running.stop();
});

async function connect(overrides: object = {}, lane = 'lane', epoch = 1): Promise<Connection> {
  const json = { ...Object(running.harness.connection), ...overrides };
  const connection = await mssqlConnector.open(mssqlConnector.spec.config.parse(json), { lane, epoch });
  open.push(connection);
  return connection;
}

function planned(operation: Operation, source: SourceObject, options: PlanOptions = {}): PlannedWrite {
  const plan = mssqlConnector.plan(operation, source, options);
  if (!plan.ok) throw new Error(`refused: ${plan.error.failure.code}`);
  return { id: JSON.stringify(operation), operation, plan: plan.value, options, source, traceparent: TRACE };
}

async function read(connection: Connection, object = ORDERS): Promise<SourceObject> {
  const [source] = await connection.read([object]);
  if (source === undefined) throw new Error('no answer');
  return source;
}

async function write(connection: Connection, operation: Operation, options: PlanOptions = {}): Promise<WriteResult> {
  const source = await read(connection, operation.object);
  return apply(connection, planned(operation, source, options));
}

async function apply(connection: Connection, one: PlannedWrite): Promise<WriteResult> {
  const [result] = await connection.apply([one]);
  if (result === undefined) throw new Error('no result');
  return result;
}

function describeAs(text: string | undefined, object = ORDERS): Operation {
  return { aspect: 'description', object, text };
}

function stands(object = ORDERS, aspect: Operation['aspect'] = 'description'): string | undefined {
  return dumpMssql(running.peer.model).get(mssqlDumpKey(object, aspect));
}

function codeOf(result: WriteResult): string {
  return result.ok ? 'ok' : `${result.failure.class} ${result.failure.code}`;
}

describe('writing to SQL Server', () => {
  it('binds every value, and leads back to the change', async () => {
    const connection = await connect();
    running.peer.takeJournal();
    await write(connection, describeAs("it's bound"));
    expect(running.peer.takeJournal()).toEqual([
      {
        program: 'backflow/lane/1',
        statement:
          "EXEC sys.sp_addextendedproperty @name = N'MS_Description', @value = N'it''s bound', @level0type = N'SCHEMA', @level0name = N'app', @level1type = N'TABLE', @level1name = N'orders'",
        sent: `EXEC sys.sp_addextendedproperty @name = @name, @value = @value, @level0type = @level0type, @level0name = @level0name, @level1type = @level1type, @level1name = @level1name /*traceparent='${TRACE}'*/`,
      },
    ]);
  });

  it.each([
    ['added', 'update', undefined, 'mine'],
    ['dropped', 'add', 'mine', 'mine'],
    ['dropped before a clear', 'none', 'mine', undefined],
  ])('plans anew when the property was %s meanwhile', async (_, verb, before, text) => {
    const connection = await connect();
    if (before !== undefined) await write(connection, describeAs(before));
    const stale = planned(describeAs(text), await read(connection));
    const other = await connect({}, 'other');
    await write(other, describeAs(before === undefined ? 'theirs' : undefined));
    const result = await apply(connection, stale);
    expect(result).toMatchObject({ ok: true, verified: 'commit', notes: [expect.stringContaining('changed')] });
    if (result.ok) expect(result.statements?.join() ?? '').toContain(verb === 'none' ? '' : `sp_${verb}ext`);
    expect(stands()).toBe(text);
  });

  it('plans anew when a view stands where the table was, and fails when nothing does', async () => {
    const connection = await connect();
    const stale = planned(describeAs('x'), await read(connection));
    const schema = running.shop.findSchema('app');
    const table = schema && running.shop.findObject(schema.id, 'orders');
    if (table === undefined) throw new Error('no table');
    running.shop.drop(table);
    expect(codeOf(await apply(connection, stale))).toBe('not_found object-missing');
    running.shop.object('app', 'orders', 'V', ['id']);
    expect(await apply(connection, stale)).toMatchObject({
      ok: true,
      statements: [expect.stringContaining("N'VIEW'")],
    });
    expect(stands()).toBe('x');
  });

  it('commits a batch as a whole, and unrolls a bad one', async () => {
    const connection = await connect();
    const good = planned(describeAs('one'), await read(connection));
    const bad = planned(describeAs('two', mssqlRef('table', 'app', 'gone')), { exists: true, kind: 'table' });
    const also = planned(describeAs('three', NOTE), await read(connection, NOTE));
    const results = await connection.apply([good, bad, also]);
    expect(Object.fromEntries(results.map((one) => [one.id, codeOf(one)]))).toEqual({
      [good.id]: 'ok',
      [bad.id]: 'not_found object-missing',
      [also.id]: 'ok',
    });
    expect([stands(), stands(NOTE)]).toEqual(['one', 'three']);
  });

  it('gives up on a locked object after three seconds, for that object only', async () => {
    const connection = await connect();
    const release = await running.harness.hold?.(ORDERS);
    const locked = planned(describeAs('waits'), await read(connection));
    const free = planned(describeAs('goes on', mssqlRef('table', 'app', 'customers')), { exists: true, kind: 'table' });
    const results = await connection.apply([locked, free]);
    await release?.();
    expect(results.map(codeOf).sort()).toEqual(['ok', 'transient 1222']);
    expect(stands()).toBeUndefined();
    expect(stands(mssqlRef('table', 'app', 'customers'))).toBe('goes on');
    expect(codeOf(await write(connection, describeAs('now')))).toBe('ok');
  }, 20_000);

  it('does not take a name for another that the collation thinks the same', async () => {
    const connection = await connect();
    for (const name of ['ORDERS', 'orders ', 'orders😀', '😀orders']) {
      const source = await read(connection, mssqlRef('table', 'app', name));
      expect(source).toMatchObject({ exists: false, detail: 'object-missing' });
    }
    expect((await read(connection, mssqlRef('schema', 'APP'))).exists).toBe(false);
  });

  it('writes an empty property over, and takes it away', async () => {
    const connection = await connect();
    await write(connection, describeAs('x'));
    for (const row of running.shop.properties.values()) if (row.value === 'x') row.value = '';
    const source = await read(connection);
    expect(source.description).toBeUndefined();
    expect(codeOf(await apply(connection, planned(describeAs(undefined), source)))).toBe('ok');
    expect(stands()).toBeUndefined();
  });

  it('waits for the target when the database is read-only or the server is gone', async () => {
    const connection = await connect();
    const one = planned(describeAs('x'), await read(connection));
    running.shop.readOnly = true;
    await expect(connection.apply([one])).rejects.toMatchObject({ code: '3906', class: 'transient', scope: 'target' });
    expect(await connection.check([])).toMatchObject({ ok: false });
    await running.peer.stop();
    await expect(connection.apply([one])).rejects.toMatchObject({ class: 'transient', scope: 'target' });
  });

  it('refuses templates that would end the transaction or run a text', async () => {
    const source = await read(await connect());
    for (const statement of ['COMMIT', "EXEC(N'x')", 'USE master']) {
      const refused = mssqlConnector.plan(describeAs('x'), source, { template: [statement] });
      expect(refused).toMatchObject({ ok: false, error: { outcome: 'failed', failure: { class: 'invalid' } } });
    }
  });

  it('reports a template that wrote somewhere else as not verified', async () => {
    const template = [
      "EXEC sys.sp_addextendedproperty @name = N'other', @value = N'x', @level0type = N'SCHEMA', @level0name = N'app'",
    ];
    expect(await write(await connect(), describeAs('x'), { template })).toMatchObject({ ok: true, verified: 'no' });
    expect(dumpMssql(running.peer.model).get('property other ["shop","app"]')).toBe('x');
  });
});

describe('owners in SQL Server', () => {
  const giveTo = (principal: string | undefined, object = ORDERS): Operation => ({
    aspect: 'owners',
    object,
    principal,
  });

  it('takes the own owner of a table away, so that the owner of the schema counts', async () => {
    const connection = await connect();
    await write(connection, giveTo('sales'));
    expect((await read(connection)).owner).toBe('sales');
    await write(connection, giveTo(undefined));
    expect((await read(connection)).owner).toBeUndefined();
    expect(stands(ORDERS, 'owners')).toBeUndefined();
    for (const object of [mssqlRef('schema', 'annex'), mssqlRef('database')]) {
      const refused = mssqlConnector.plan(giveTo(undefined, object), await read(connection, object), {});
      expect(refused).toMatchObject({ ok: false, error: { outcome: 'skipped', failure: { code: 'owner-required' } } });
    }
  });

  it('leaves an object alone whose permissions would be dropped, unless that is accepted', async () => {
    const schema = running.shop.findSchema('app');
    const table = schema && running.shop.findObject(schema.id, 'orders');
    running.shop.grant('SELECT', 'finance', { class: CLASS.object, majorId: table?.id ?? 0 });
    const source = await read(await connect());
    const refused = mssqlConnector.plan(giveTo('sales'), source, {});
    expect(refused).toMatchObject({
      ok: false,
      error: { outcome: 'skipped', failure: { class: 'unsupported', code: 'owner-drops-permissions' } },
    });
    expect(codeOf(await write(await connect({ ownerChangeDropsPermissions: true }, 'second'), giveTo('sales')))).toBe(
      'ok',
    );
    expect(running.shop.permissions.filter(({ permission }) => permission === 'SELECT')).toEqual([]);
  });

  it('tells a missing principal from a missing right', async () => {
    const connection = await connect();
    expect(codeOf(await write(connection, giveTo('nobody')))).toBe('not_found 15151');
    expect(codeOf(await write(connection, giveTo('locked_away')))).toBe('permission 15151');
    running.peer.model.login('a_user', 'x').impersonators.add('backflow');
    running.shop.principal('a_user', 'a_user');
    expect(codeOf(await write(connection, giveTo('a_user', mssqlRef('database'))))).toBe('invalid 15110');
  });
});

describe('tags in SQL Server', () => {
  const tagWith = (desired: readonly Tag[], unset: readonly Tag[] = [], object = NOTE): Operation => ({
    aspect: 'tags',
    object,
    desired,
    added: desired,
    unset,
  });
  const pii = (value: string): Tag => ({ key: 'PII', value });
  const tier = (value: string): Tag => ({ key: 'Tier', value });

  it('keeps what somebody else wrote, and several values of a key', async () => {
    const connection = await connect();
    await write(connection, tagWith([pii('Theirs')]));
    await write(connection, tagWith([pii('B'), pii('A')]));
    expect((await read(connection, NOTE)).tags).toEqual([pii('A'), pii('B'), pii('Theirs')]);
    await write(connection, tagWith([pii('A')], [pii('B')]));
    expect(stands(NOTE, 'tags')).toBe('PII=A\nPII=Theirs');
    // The value that was removed is not the one that stands there.
    await write(connection, tagWith([], [pii('X')]));
    expect(stands(NOTE, 'tags')).toBe('PII=A\nPII=Theirs');
    await write(connection, tagWith([], [pii('A'), pii('Theirs')]));
    expect(stands(NOTE, 'tags')).toBeUndefined();
  });

  it('makes chosen tags of a column its sensitivity classification, and restates the rest of it', async () => {
    const rule = { sensitivityClassification: { label: 'PII', informationType: 'Info' } };
    const connection = await connect(rule);
    const key = 'classification ["shop","app","orders","note"]';
    const present = () => JSON.parse(dumpMssql(running.peer.model).get(key) ?? 'null');
    const forbidden = await write(connection, tagWith([pii("It's")]));
    expect(codeOf(forbidden)).toBe('permission 300');
    expect((await connection.check([NOTE])).findings).toContainEqual(
      expect.objectContaining({ remedy: 'GRANT ALTER ANY SENSITIVITY CLASSIFICATION TO [backflow]' }),
    );
    running.shop.grant('ALTER ANY SENSITIVITY CLASSIFICATION', 'backflow', { class: CLASS.database, majorId: 0 });
    expect(codeOf(await write(connection, tagWith([pii("It's"), tier('1')])))).toBe('ok');
    expect(present()).toEqual({ label: "It's" });
    expect((await read(connection, NOTE)).tags).toEqual([tier('1'), pii("It's")]);
    for (const [id, row] of running.shop.classifications) {
      running.shop.classifications.set(id, {
        ...row,
        labelId: 'l',
        informationType: 'N',
        informationTypeId: 'n',
        rank: 'HIGH',
      });
    }
    await write(connection, tagWith([pii('Other')]));
    expect(present()).toEqual({ label: 'Other', informationType: 'N', informationTypeId: 'n', rank: 'HIGH' });
    await write(connection, tagWith([], [pii('Other'), { key: 'Info', value: 'N' }]));
    expect(present()).toBeNull();
    expect(mssqlConnector.plan(tagWith([pii('A'), pii('B')]), await read(connection, NOTE), {})).toMatchObject({
      error: { failure: { code: 'one-classification' } },
    });
    // A view's column keeps them as properties.
    const viewColumn = mssqlRef('column', 'app', 'order_view', 'note');
    await write(connection, tagWith([pii('A')], [], viewColumn));
    expect(stands(viewColumn, 'tags')).toBe('PII=A');
  });
});

describe('connections to SQL Server', () => {
  it('reaches all databases of the server when told to, each over connections of its own', async () => {
    const other = running.peer.model.database('it\'s ] "other"', 'sa');
    other.principal('backflow', 'backflow');
    other.schema('app', 'backflow');
    const closed = running.peer.model.database('closed', 'sa');
    closed.schema('app', 'dbo');
    const connection = await connect({ database: '', ingestAllDatabases: true });
    const inOther = { ...mssqlRef('schema', 'app'), database: other.name };
    expect(codeOf(await write(connection, describeAs('over there', inOther)))).toBe('ok');
    expect(stands(inOther)).toBe('over there');
    expect(codeOf(await write(connection, describeAs('here')))).toBe('ok');
    for (const database of ['closed', 'nowhere', 'x'.repeat(129), 'a\0b']) {
      const source = await read(connection, { ...mssqlRef('schema', 'app'), database });
      expect(source).toMatchObject({ exists: false, detail: 'database-missing' });
    }
    const report = await connection.check([]);
    expect(report.findings).toContainEqual(
      expect.objectContaining({ remedy: 'USE [closed]; CREATE USER [backflow] FOR LOGIN [backflow]' }),
    );
  });

  it('waits for the configured database when it cannot be opened', async () => {
    const failure = await connect({ database: 'nowhere' }).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(ConnectorError);
    expect(failure).toMatchObject({ code: '4060', class: 'transient', scope: 'target' });
  });

  it('does not send a password in the clear when encryption was asked for', async () => {
    running.peer.takeJournal();
    const failure = await connect({ encrypt: true, password: 'never sent' }).catch((error: unknown) => error);
    expect(failure).toMatchObject({ class: 'auth', scope: 'target', code: 'EENCRYPT' });
    expect(running.peer.refusedLogins).toBe(0);
    await connect({ encrypt: false, password: 'sent' }).catch(() => undefined);
    expect(running.peer.refusedLogins).toBe(1);
  });

  it('ends the sessions of an earlier owner of the lane before it writes, where it may', async () => {
    const older = await connect({}, 'shared', 1);
    const another = await connect({}, 'else', 1);
    await read(older);
    await read(another);
    const names = () => running.peer.sessions.map(({ program }) => program).sort();
    const powerless = await connect({}, 'shared', 2);
    expect(codeOf(await write(powerless, describeAs('x')))).toBe('ok');
    expect(names()).toContain('backflow/shared/1');
    for (const right of ['VIEW SERVER STATE', 'ALTER ANY CONNECTION']) {
      running.peer.model.logins.get('backflow')?.rights.add(right);
    }
    const newer = await connect({}, 'shared', 3);
    expect(codeOf(await write(newer, describeAs('y')))).toBe('ok');
    expect(new Set(names())).toEqual(new Set(['backflow/else/1', 'backflow/shared/3']));
  });

  it('names what is missing with the statement that grants it', async () => {
    running.shop.permissions = [];
    const connection = await connect();
    const report = await connection.check([mssqlRef('database'), mssqlRef('schema', 'secret'), ORDERS]);
    expect(report).toMatchObject({ ok: false, user: 'backflow', server: expect.stringMatching(/^SQL Server 16/) });
    const remedies = report.findings.filter(({ severity }) => severity === 'error').map(({ remedy }) => remedy);
    expect(remedies).toEqual([
      `GRANT ALTER ON DATABASE::[${SHOP}] TO [backflow]`,
      'GRANT ALTER ON SCHEMA::[secret] TO [backflow]',
    ]);
    const hidden = await connection.check([mssqlRef('table', 'secret', 'vault')]);
    expect(hidden.findings).toContainEqual(
      expect.objectContaining({ severity: 'warning', remedy: 'GRANT VIEW DEFINITION TO [backflow]' }),
    );
    running.shop.grant('SELECT', 'backflow', { class: CLASS.object, majorId: vaultId() });
    const seen = await connection.check([mssqlRef('table', 'secret', 'vault')]);
    expect(seen.findings).toContainEqual(
      expect.objectContaining({ severity: 'error', remedy: 'GRANT ALTER ON OBJECT::[secret].[vault] TO [backflow]' }),
    );
    expect((await connection.check([])).findings).toContainEqual(
      expect.objectContaining({ remedy: 'GRANT ALTER ON SCHEMA::[secret] TO [backflow]' }),
    );
  });
});

function vaultId(): number {
  const schema = running.shop.findSchema('secret');
  return (schema && running.shop.findObject(schema.id, 'vault')?.id) ?? 0;
}

describe('a lane that is lost', () => {
  it('asks nothing over a session that was opened afterwards', async () => {
    const config = mssqlConnector.spec.config.parse(running.harness.connection);
    await expect(mssqlConnector.open(config, { lane: 'lost', epoch: 1, valid: () => false })).rejects.toMatchObject({
      failure: { code: 'lane-lost', scope: 'target' },
    });
  });
});
