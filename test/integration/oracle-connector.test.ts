import { afterEach, describe, expect, it } from 'vitest';
import type { Connection, PlannedWrite, PlanOptions, WriteResult } from '../../connectors/contract.ts';
import { openOracle } from '../../connectors/oracle/connection.ts';
import { oracleConnector } from '../../connectors/oracle/connector.ts';
import type { ObjectRef, Operation, Tag } from '../../src/domain/operation.ts';
import { type OracleModelHarness, ref, startOracleModel } from '../support/oracle-harness.ts';
import type { OracleModelOptions } from '../support/oracle-model.ts';

const open: Connection[] = [];
afterEach(async () => {
  for (const connection of open.splice(0)) await connection.close();
});

interface Running extends OracleModelHarness {
  readonly live: Connection;
}

async function connect({ server, connection }: OracleModelHarness, lane = 'shop.0', epoch = 1): Promise<Connection> {
  const config = oracleConnector.spec.config.parse(connection);
  const opened = await openOracle(config, { lane, epoch }, server.driver);
  open.push(opened);
  return opened;
}

async function start(options: OracleModelOptions = {}): Promise<Running> {
  const harness = startOracleModel(options);
  return { ...harness, live: await connect(harness) };
}

const describing = (object: ObjectRef, text: string | undefined): Operation => ({
  aspect: 'description',
  object,
  text,
});
const tagging = (object: ObjectRef, desired: readonly Tag[], unset: readonly Tag[] = []): Operation => ({
  aspect: 'tags',
  object,
  desired,
  added: desired,
  unset,
});

async function planned(connection: Connection, operation: Operation, options: PlanOptions = {}): Promise<PlannedWrite> {
  const [source] = await connection.read([operation.object]);
  if (source === undefined) throw new Error('not read');
  const plan = oracleConnector.plan(operation, source, options);
  if (!plan.ok) throw new Error(`refused: ${plan.error.failure.code}`);
  return { id: 'w', operation, plan: plan.value, options, source };
}

async function write(connection: Connection, operation: Operation, options: PlanOptions = {}): Promise<WriteResult> {
  const [result] = await connection.apply([await planned(connection, operation, options)]);
  if (result === undefined) throw new Error('no result');
  return result;
}

const ORDERS = ref('table', 'APP', 'ORDERS');

describe('names of the catalogue', () => {
  it('in lower case find what the dictionary has in upper case, and what it has in lower case', async () => {
    const { server, live } = await start();
    server.model.addObject('APP', 'mine', 'TABLE', ['ID']);
    const sources = await live.read([ref('column', 'app', 'orders', 'note'), ref('table', 'app', 'mine')]);
    expect(sources).toMatchObject([
      { exists: true, detail: { names: ['APP', 'ORDERS', 'NOTE'] } },
      { exists: true, detail: { names: ['APP', 'mine'] } },
    ]);
  });

  it('that two objects may mean are skipped rather than guessed', async () => {
    const { server, live } = await start();
    server.model.addObject('APP', 'orders', 'TABLE', ['ID', 'id']);
    const asked = [ref('table', 'APP', 'orders'), ref('column', 'APP', 'orders', 'id'), ORDERS];
    const sources = await live.read(asked);
    const refusals = asked.map((object, i) => oracleConnector.plan(describing(object, 'x'), sources[i], {}));
    expect(refusals).toMatchObject([
      { ok: false, error: { outcome: 'skipped', failure: { code: 'ambiguous-name' } } },
      { ok: false, error: { outcome: 'skipped', failure: { code: 'ambiguous-name' } } },
      { ok: true },
    ]);
  });

  it('are looked up many at once', async () => {
    const { server, live } = await start();
    const names = Array.from({ length: 300 }, (_, i) => `T${i}`);
    for (const name of names) server.model.addObject('APP', name, 'TABLE', ['ID']).comment = `I am ${name}`;
    // The first read ends sessions of earlier owners as well.
    await live.read([ref('table', 'APP', 'T0')]);
    const before = server.log.length;
    const sources = await live.read(names.map((name) => ref('table', 'APP', name)));
    expect(sources.map(({ description }) => description)).toEqual(names.map((name) => `I am ${name}`));
    expect(server.log.length - before).toBeLessThanOrEqual(3);
  });
});

describe('writing', () => {
  it('waits for a lock only as long as it set, and fails as that object alone', async () => {
    const { server, live } = await start();
    server.lockSecondMs = 5;
    const release = server.hold('APP', 'ORDERS');
    const writes = [
      { ...(await planned(live, describing(ORDERS, 'x'))), id: 'held' },
      { ...(await planned(live, describing(ref('table', 'APP', 'CUSTOMERS'), 'y'))), id: 'free' },
    ];
    const results = await live.apply(writes);
    expect(results).toMatchObject([
      { id: 'held', ok: false, failure: { class: 'transient', scope: 'object', code: 'ORA-00054' } },
      { id: 'free', ok: true, verified: 'commit' },
    ]);
    release();
    expect(await write(live, describing(ORDERS, 'x'))).toMatchObject({ ok: true });
  });

  it('plans anew for what has become a materialized view, or is none any more', async () => {
    const { server, live } = await start();
    const totals = ref('table', 'APP', 'ORDER_TOTALS');
    const [asTable, asView] = [
      await planned(live, describing(ORDERS, 'x')),
      await planned(live, describing(totals, 'y')),
    ];
    server.model.dropObject('APP', 'ORDERS');
    server.model.addObject('APP', 'ORDERS', 'MATERIALIZED VIEW', ['ID']);
    server.model.dropObject('APP', 'ORDER_TOTALS');
    server.model.addObject('APP', 'ORDER_TOTALS', 'TABLE', ['ID']);
    expect(await live.apply([asTable])).toMatchObject([
      {
        ok: true,
        statements: [`COMMENT ON MATERIALIZED VIEW "APP"."ORDERS" IS 'x'`],
        notes: [/* said so */ expect.any(String)],
      },
    ]);
    expect(await live.apply([asView])).toMatchObject([
      { ok: true, statements: [`COMMENT ON TABLE "APP"."ORDER_TOTALS" IS 'y'`] },
    ]);
    expect(server.model.object('APP', 'ORDERS')?.comment).toBe('x');
    expect(server.model.object('APP', 'ORDER_TOTALS')?.comment).toBe('y');
  });

  it('reports what was dropped meanwhile as missing, and what may not be written as a missing privilege', async () => {
    const { server, live } = await start();
    const [dropped, closed] = [
      await planned(live, describing(ref('table', 'APP', 'CUSTOMERS'), 'x')),
      await planned(live, describing(ORDERS, 'x')),
    ];
    server.model.dropObject('APP', 'CUSTOMERS');
    server.model.users.get('BACKFLOW')?.rights.delete('COMMENT ANY TABLE');
    const results = await live.apply([
      { ...dropped, id: 'dropped' },
      { ...closed, id: 'closed' },
    ]);
    expect(results).toMatchObject([
      { id: 'dropped', ok: false, failure: { class: 'not_found', code: 'object-missing' } },
      // The server itself says that it does not exist (ORA-00942), since the user may do nothing with it.
      { id: 'closed', ok: false, failure: { class: 'permission', code: 'ORA-00942' } },
    ]);
  });

  it('reports a standby as a fault of the whole target', async () => {
    const { server, live } = await start();
    server.model.role = 'PHYSICAL STANDBY';
    await expect(write(live, describing(ORDERS, 'x'))).rejects.toMatchObject({
      failure: { class: 'transient', scope: 'target', code: 'ORA-16000' },
    });
  });

  it('reads annotations back, keeps those of others, and passes over those of columns for the table', async () => {
    const { server, live } = await start();
    server.model.object('APP', 'ORDERS')?.annotations.set('Display', 'All orders');
    const pii = { key: 'PII', value: 'Sensitive' };
    expect(await write(live, tagging(ORDERS, [pii]))).toMatchObject({ ok: true, verified: 'read' });
    await write(live, tagging(ref('column', 'APP', 'ORDERS', 'ID'), [{ key: 'PII', value: 'None' }]));
    expect((await live.read([ORDERS]))[0]?.tags).toEqual([{ key: 'Display', value: 'All orders' }, pii]);
    await write(live, tagging(ORDERS, [], [pii]));
    expect([...(server.model.object('APP', 'ORDERS')?.annotations.keys() ?? [])]).toEqual(['Display']);
  });

  it('skips tags on versions without annotations', async () => {
    const { live } = await start({ annotations: false, version: '19.3.0.0.0' });
    const [source] = await live.read([ORDERS]);
    expect(source?.tags).toBeUndefined();
    expect(oracleConnector.plan(tagging(ORDERS, [{ key: 'a', value: 'b' }]), source, {})).toMatchObject({
      ok: false,
      error: { outcome: 'skipped', failure: { code: 'no-annotations' } },
    });
    expect(await write(live, describing(ORDERS, 'x'))).toMatchObject({ ok: true });
  });

  it('writes question marks itself where the character set has nothing, and reads back', async () => {
    const { server, live } = await start({ charset: 'WE8ISO8859P1' });
    const result = await write(live, describing(ORDERS, 'größe 😀'));
    expect(result).toMatchObject({ ok: true, verified: 'read', value: 'größe ?' });
    expect(server.model.object('APP', 'ORDERS')?.comment).toBe('größe ?');
    expect(await write(live, describing(ORDERS, 'é'.repeat(4000)))).toMatchObject({ ok: true, verified: 'read' });
    // By name it would reach another object, whose name holds what the server puts instead.
    const template = [`COMMENT ON TABLE "APP"."ORDERS中" IS 'x'`];
    expect(await write(live, describing(ORDERS, 'x'), { template })).toMatchObject({
      ok: false,
      failure: { class: 'invalid', code: 'not-representable' },
    });
  });
});

describe('templates', () => {
  const insert = "INSERT INTO app.audit_log VALUES ('x', 'y')";
  const rows = ({ server }: Running) => server.model.object('APP', 'AUDIT_LOG')?.rows.length;

  it('are committed together', async () => {
    const running = await start();
    const result = await write(running.live, describing(ORDERS, 'x'), { template: [insert, insert] });
    expect(result).toMatchObject({ ok: true, verified: 'no' });
    expect(rows(running)).toBe(2);
  });

  it('are rolled back together as far as the server can', async () => {
    const running = await start();
    const bad = "INSERT INTO app.nowhere VALUES ('x')";
    const result = await write(running.live, describing(ORDERS, 'x'), { template: [insert, bad] });
    expect(result).toMatchObject({ ok: false, failure: { code: 'ORA-00942' } });
    expect(rows(running)).toBe(0);
    // DDL commits what stands before it, also when it fails itself.
    const ddl = "COMMENT ON TABLE app.nowhere IS 'x'";
    await write(running.live, describing(ORDERS, 'x'), { template: [insert, ddl] });
    expect(rows(running)).toBe(1);
  });

  it('that leave the wanted comment count as verified', async () => {
    const { live } = await start();
    const template = ["COMMENT ON TABLE app.orders IS 'wanted'"];
    expect(await write(live, describing(ORDERS, 'wanted'), { template })).toMatchObject({ verified: 'read' });
    expect(await write(live, describing(ORDERS, 'other'), { template })).toMatchObject({ verified: 'no' });
  });

  it('leave no modes behind', async () => {
    const { server, live } = await start();
    const template = ['ALTER SESSION SET DDL_LOCK_TIMEOUT = 999 NLS_COMP = LINGUISTIC'];
    await write(live, describing(ORDERS, 'x'), { template });
    const sessions = server.log.map(({ sql }) => sql).filter((sql) => sql.startsWith('ALTER SESSION'));
    expect(sessions.at(-1)).toMatch(/NLS_COMP = BINARY .*DDL_LOCK_TIMEOUT = 3/);
  });
});

describe('sessions', () => {
  it('of earlier owners of the lane are ended before the first write, and only they', async () => {
    const harness = startOracleModel();
    await connect(harness, 'shop.0', 4);
    await connect(harness, 'shop.1', 4);
    await connect(harness, 'shop.0', 9);
    const owner = await connect(harness, 'shop.0', 7);
    await write(owner, describing(ORDERS, 'x'));
    expect([...harness.server.programs()].sort()).toEqual([
      'backflow/shop.0/7',
      'backflow/shop.0/9',
      'backflow/shop.1/4',
    ]);
  });

  it('are left alone where the user may not end them', async () => {
    const harness = startOracleModel();
    harness.server.model.users.get('BACKFLOW')?.rights.delete('ALTER SYSTEM');
    await connect(harness, 'shop.0', 4);
    const owner = await connect(harness, 'shop.0', 7);
    expect(await write(owner, describing(ORDERS, 'x'))).toMatchObject({ ok: true });
    expect(harness.server.programs()).toContain('backflow/shop.0/4');
  });

  it('carry the trace of the change with each statement', async () => {
    const { server, live } = await start();
    const one = await planned(live, describing(ORDERS, 'x'));
    await live.apply([{ ...one, traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' }]);
    const sent = server.log.map(({ sql }) => sql).filter((sql) => sql.startsWith('COMMENT'));
    expect(sent).toEqual([
      `COMMENT ON TABLE "APP"."ORDERS" IS 'x' /*traceparent='00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'*/`,
    ]);
    await live.apply([{ ...one, traceparent: "00-x'*/ --" }]);
    expect(server.log.map(({ sql }) => sql).filter((sql) => sql.startsWith('COMMENT'))[1]).toBe(one.plan.statements[0]);
  });
});

describe('check', () => {
  it('names every missing privilege with the statement that grants it, and is content once they are granted', async () => {
    const harness = startOracleModel();
    const rights = harness.server.model.users.get('BACKFLOW')?.rights;
    for (const right of [...(rights ?? [])]) if (right !== 'CREATE SESSION') rights?.delete(right);
    for (const name of ['ORDERS', 'ORDER_VIEW', 'ORDER_TOTALS']) {
      harness.server.model.object('APP', name)?.grants.add('BACKFLOW SELECT');
    }
    const objects = [
      ORDERS,
      ref('table', 'APP', 'ORDER_VIEW'),
      ref('table', 'APP', 'ORDER_TOTALS'),
      ref('table', 'APP', 'REMOTE'),
    ];
    const report = await (await connect(harness)).check(objects);
    expect(report).toMatchObject({ ok: false, server: 'Oracle Database 23.4.0.24.5', user: 'BACKFLOW' });
    expect(report.findings.map(({ severity, remedy }) => [severity, remedy])).toEqual([
      ['info', 'GRANT SELECT_CATALOG_ROLE TO "BACKFLOW"'],
      ['info', 'GRANT ALTER SYSTEM TO "BACKFLOW"'],
      // REMOTE cannot be seen.
      ['warning', undefined],
      ['error', 'GRANT COMMENT ANY TABLE TO "BACKFLOW"'],
      ['warning', 'GRANT ALTER ON "APP"."ORDERS" TO "BACKFLOW"'],
      ['warning', 'GRANT ALTER ANY TABLE TO "BACKFLOW"'],
      ['warning', 'GRANT ALTER ANY MATERIALIZED VIEW TO "BACKFLOW"'],
    ]);
    harness.server.model.object('APP', 'ORDERS')?.grants.add('BACKFLOW ALTER');
    for (const { remedy } of report.findings) {
      const granted = /^GRANT ([A-Z_ ]+) TO "BACKFLOW"$/.exec(remedy ?? '')?.[1];
      if (granted !== undefined) rights?.add(granted);
    }
    expect(await (await connect(harness)).check(objects)).toMatchObject({ ok: true, findings: [] });
  });

  it('says what the database itself does not allow', async () => {
    const { live } = await start({ role: 'PHYSICAL STANDBY', charset: 'WE8ISO8859P1', annotations: false });
    const report = await live.check([]);
    expect(report.ok).toBe(false);
    expect(report.findings.map(({ message }) => message).join('\n')).toMatch(
      /physical standby.*\n.*WE8ISO8859P1.*\n.*no annotations/,
    );
  });

  it("needs no privilege for objects of the user's own schema", async () => {
    const harness = startOracleModel();
    const config = oracleConnector.spec.config.parse({ ...harness.connection, username: 'APP', password: 'app' });
    const own = await openOracle(config, { lane: 'shop.0', epoch: 1 }, harness.server.driver);
    open.push(own);
    const report = await own.check([ORDERS]);
    expect(report.findings.filter(({ severity }) => severity !== 'info')).toEqual([]);
    expect(await write(own, describing(ORDERS, 'by its owner'))).toMatchObject({ ok: true });
    expect(await write(own, tagging(ORDERS, [{ key: 'PII', value: 'x' }]))).toMatchObject({ ok: true });
  });
});

describe('a lane that is lost', () => {
  it('asks and writes nothing, although its session is open', async () => {
    const { connection, server } = await start();
    const config = oracleConnector.spec.config.parse(connection);
    let valid = true;
    const own = await openOracle(config, { lane: 'shop.9', epoch: 1, valid: () => valid }, server.driver);
    valid = false;
    await expect(own.read([ORDERS])).rejects.toMatchObject({ failure: { code: 'lane-lost', scope: 'target' } });
    await expect(own.apply([])).rejects.toMatchObject({ failure: { code: 'lane-lost' } });
    await own.close();
  });
});
