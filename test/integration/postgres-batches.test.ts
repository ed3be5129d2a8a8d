import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Connection, SourceObject } from '../../connectors/contract.ts';
import { COLUMNS, TABLES } from '../../connectors/postgres/catalog.ts';
import type { ObjectRef } from '../../src/domain/operation.ts';
import { startFaultProxy } from '../support/fault-proxy.ts';
import { commentOf, type PostgresShop, startPostgresShop } from '../support/postgres-shop.ts';
import { database, describeAs, planned, table } from '../support/postgres-writes.ts';

const AS_TABLE: SourceObject = { exists: true, kind: 'table' };

let shop: PostgresShop;
let admin: pg.Client;
let connection: Connection;

beforeAll(async () => {
  shop = await startPostgresShop(
    'DO $$ BEGIN FOR i IN 0..89 LOOP EXECUTE format($f$CREATE TABLE app.t%s (id int)$f$, i); END LOOP; END $$',
  );
  admin = await shop.connect('shop');
  connection = await open('batches');
});

afterAll(async () => {
  await connection.close();
  await admin.end();
  await shop.server.stop();
});

const open = (lane: string, over: Record<string, unknown> = {}): Promise<Connection> =>
  shop.open({ lane, epoch: 1 }, over);

describe('PostgreSQL: reads', () => {
  /** Statements that the session of this connection runs, as those of a template; its comment is read back then. */
  const runOn = (one: Connection, ...statements: string[]) => {
    const write = planned(describeAs(table('t0'), 'x'), AS_TABLE, { template: ['SELECT 1'] });
    return one.apply([{ ...write, plan: { ...write.plan, statements } }]);
  };

  it('are prepared once for a session', async () => {
    const own = await open('prepared');
    const before = shop.log().length;
    for (let round = 0; round < 5; round += 1) await own.read([table('t0'), table('t1'), table('gone')]);
    await runOn(own, 'SELECT 1');
    // The server writes its log on its own time.
    await expect
      .poll(
        () =>
          shop
            .log()
            .slice(before)
            .match(/execute backflow_\w+:/g)?.length,
        { timeout: 10_000 },
      )
      .toBe(6);
    await own.close();
  });

  it('go on without prepared statements where a pooler mixes the sessions up', async () => {
    const objects = [table('t1'), table('t2', 'gone'), table('gone')];
    const own = await open('forgotten');
    const sources = await own.read(objects);
    const [name = ''] = shop.log().match(/backflow_[0-9a-f]{16}/) ?? [];
    expect(await runOn(own, 'DEALLOCATE ALL')).toMatchObject([{ ok: true }]);
    expect(await own.read(objects)).toEqual(sources);
    expect(await own.read(objects)).toEqual(sources);
    await own.close();

    const other = await open('taken');
    expect(await runOn(other, `PREPARE ${name} AS SELECT 1`)).toMatchObject([{ ok: true }]);
    expect(await other.read(objects)).toEqual(sources);
    await other.close();
  });

  it('find all columns of a wide table by a look-up each', async () => {
    const columns = Array.from({ length: 600 }, (_, i) => `c${i}`);
    await admin.query(`CREATE TABLE app.wide (${columns.map((name) => `${name} int`).join(', ')})`);
    await admin.query('ALTER TABLE app.wide OWNER TO backflow; ANALYZE app.wide; ANALYZE pg_catalog.pg_attribute');
    const column = (name: string): ObjectRef => ({ ...table('wide'), level: 'column', column: [name] });
    const writes = columns.map((name) => planned(describeAs(column(name), `of ${name}`), AS_TABLE));
    expect((await connection.apply(writes)).every(({ ok }) => ok)).toBe(true);
    const read = await connection.read([...columns, 'ctid', 'gone'].map(column));
    expect(read.map(({ description }) => description)).toEqual([
      ...columns.map((name) => `of ${name}`),
      undefined,
      undefined,
    ]);
    expect(read.slice(-2).map(({ exists }) => exists)).toEqual([false, false]);
    for (const query of [TABLES, COLUMNS]) {
      const { rows } = await admin.query<{ 'QUERY PLAN': string }>(
        `EXPLAIN ${query.text}`,
        query.lists(columns.map(column)).map((list) => [...list]),
      );
      const scans = rows.flatMap((row) => /Scan using (\w+)|Seq Scan on (\w+)/.exec(row['QUERY PLAN'])?.slice(1) ?? []);
      expect(scans.filter((one) => /^(pg_class|pg_attribute|pg_description)/.test(one ?? '')).sort()).toEqual(
        ['pg_attribute_relid_attnam_index', 'pg_class_relname_nsp_index', 'pg_description_o_c_o_index'].slice(
          query === TABLES ? 1 : 0,
        ),
      );
    }
  });
});

describe('PostgreSQL: many comments in one piece', () => {
  it('reaches the good ones among many bad ones with an effort in proportion', async () => {
    await admin.query('CREATE TABLE app.closed (id int)');
    const names = Array.from({ length: 300 }, (_, i) => (i % 3 === 0 ? `t${i % 90}` : 'closed'));
    const writes = names.map((name, i) => planned(describeAs(table(name), `of round two, ${i}`), AS_TABLE));
    const before = shop.log().length;
    const results = new Map((await connection.apply(writes)).map((result) => [result.id, result]));
    const outcomes = writes.map(({ id }) => {
      const result = results.get(id);
      return result?.ok === false ? result.failure.code : 'ok';
    });
    expect(outcomes).toEqual(names.map((name) => (name === 'closed' ? '42501' : 'ok')));
    // Sorted by name, 200 of them in a row are refused; each of those needs a transaction, the others share some.
    const begun = () =>
      shop
        .log()
        .slice(before)
        .match(/execute <unnamed>: BEGIN/g)?.length ?? 0;
    await expect.poll(begun, { timeout: 10_000 }).toBeGreaterThanOrEqual(200);
    expect(begun()).toBeLessThan(230);
  });

  it('sends statements that cannot end or swallow each other', async () => {
    const [one, other] = [
      planned(describeAs(table('t1'), 'first'), AS_TABLE),
      planned(describeAs(table('t2'), 'second'), AS_TABLE),
    ];
    const broken = (statement: string) => ({ ...one, plan: { ...one.plan, statements: [statement] } });
    for (const statement of [
      `COMMENT ON TABLE app.t1 IS 'first'; COMMIT; COMMENT ON TABLE app.t3 IS 'smuggled in'`,
      `COMMENT ON TABLE app.t1 IS 'first`,
      `COMMENT ON TABLE app.t1 IS 'first' /*`,
    ]) {
      const results = new Map(
        (await connection.apply([broken(statement), other])).map((result) => [result.id, result]),
      );
      expect(results.get(one.id)).toMatchObject({ ok: false, failure: { code: '42601' } });
      expect(results.get(other.id)).toMatchObject({ ok: true, value: 'second' });
    }
    expect(await commentOf(admin, 't2')).toBe('second');
    expect(await commentOf(admin, 't3')).not.toBe('smuggled in');
  });

  it('blames the one of a batch that the server passed over with a warning, and no other', async () => {
    const [one, other] = [
      planned(describeAs(table('t4'), 'good'), AS_TABLE),
      planned(describeAs(database('gone'), 'lost'), { exists: true }),
    ];
    const inShop = {
      ...other,
      operation: { ...other.operation, object: { ...other.operation.object, database: 'shop' } },
    };
    const results = new Map((await connection.apply([inShop, one])).map((result) => [result.id, result]));
    expect(results.get(inShop.id)).toMatchObject({ ok: false, failure: { class: 'not_found', code: '3D000' } });
    expect(results.get(one.id)).toMatchObject({ ok: true });
    expect(await commentOf(admin, 't4')).toBe('good');
  });

  it('leaves nothing behind in a session that is lost while it waits, even when the wait ends well', async () => {
    const holder = await shop.connect('shop');
    await holder.query('BEGIN; LOCK TABLE app.t6 IN ACCESS EXCLUSIVE MODE');
    const proxy = await startFaultProxy(() => shop.server);
    const own = await open('given up', { hostPort: `${proxy.host}:${proxy.port}` });
    const waiting = async () => {
      const { rows } = await holder.query<{ waits: boolean }>(
        "SELECT wait_event_type = 'Lock' AS waits FROM pg_stat_activity WHERE application_name LIKE 'backflow/given%'",
      );
      return rows.map(({ waits }) => waits);
    };
    const writes = ['t5', 't6'].map((name) => planned(describeAs(table(name), 'never'), AS_TABLE));
    const ended = expect(own.apply(writes)).rejects.toMatchObject({ scope: 'target' });
    await expect.poll(waiting).toEqual([true]);
    proxy.cutAll();
    await ended;
    await holder.query('COMMIT');
    await expect.poll(waiting).toEqual([]);
    expect([await commentOf(admin, 't5'), await commentOf(admin, 't6')]).not.toContain('never');
    await Promise.all([own.close(), holder.end(), proxy.close()]);
  });
});
