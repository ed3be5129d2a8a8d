import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Connection, SourceObject } from '../../connectors/contract.ts';
import { postgresConnector } from '../../connectors/postgres/connector.ts';
import { commentOf, type PostgresShop, startPostgresShop } from '../support/postgres-shop.ts';
import { database, describeAs, planned, table } from '../support/postgres-writes.ts';

const SESSION = { lane: 'pg_sales/0', epoch: 7 };

let shop: PostgresShop;
let admin: pg.Client;
let connection: Connection;

beforeAll(async () => {
  shop = await startPostgresShop(
    'CREATE TABLE app.a (id int); CREATE TABLE app.b (id int); CREATE TABLE app.c (id int)',
  );
  admin = await shop.connect('shop');
  connection = await open();
});

afterAll(async () => {
  await connection.close();
  await admin.end();
  await shop.server.stop();
});

const open = (over: Record<string, unknown> = {}, session = SESSION): Promise<Connection> => shop.open(session, over);

const AS_TABLE: SourceObject = { exists: true, kind: 'table' };

describe('PostgreSQL: silent traps', () => {
  it('plans anew, once, when the object has become one of another kind', async () => {
    await admin.query('SET ROLE backflow; CREATE TABLE app.swap (id int); RESET ROLE');
    const write = planned(describeAs(table('swap'), 'of a view'), AS_TABLE);
    await admin.query('SET ROLE backflow; DROP TABLE app.swap; CREATE VIEW app.swap AS SELECT 1 AS id; RESET ROLE');
    const other = planned(describeAs(table('a'), 'beside it'), AS_TABLE);
    const results = await connection.apply([write, other]);
    expect(results.find(({ id }) => id === write.id)).toEqual({
      id: write.id,
      ok: true,
      verified: 'commit',
      value: 'of a view',
      statements: [`COMMENT ON VIEW "app"."swap" IS 'of a view'`],
      notes: ['The object is a view now; the statement was made anew.'],
    });
    expect(results.find(({ id }) => id === other.id)?.ok).toBe(true);
    expect(await commentOf(admin, 'swap')).toBe('of a view');
  });

  it('fails when a comment on a database that does not exist only raises a warning', async () => {
    const template = ["COMMENT ON TABLE app.b IS 'before'", "COMMENT ON DATABASE no_such IS 'lost'"];
    const [result] = await connection.apply([planned(describeAs(table('b'), 'lost'), AS_TABLE, { template })]);
    expect(result).toMatchObject({ ok: false, failure: { class: 'not_found', scope: 'object', code: '3D000' } });
    expect(await commentOf(admin, 'b')).toBeNull();
  });

  it('fails when the server cuts a name and means another object', async () => {
    const cut = 'n'.repeat(63);
    await admin.query(`SET ROLE backflow; CREATE TABLE app.${cut} (id int); RESET ROLE`);
    const template = [`COMMENT ON TABLE app."${cut}x" IS 'astray'`];
    const [result] = await connection.apply([planned(describeAs(table('b'), 'astray'), AS_TABLE, { template })]);
    expect(result).toMatchObject({ ok: false, failure: { class: 'invalid', scope: 'object', code: '42622' } });
    expect(await commentOf(admin, cut)).toBeNull();
  });

  it('keeps the transaction of a template closed', () => {
    const template = ["COMMENT ON TABLE app.b IS 'x'; /* c */ commit", "COMMENT ON TABLE app.b IS 'y'"];
    const plan = postgresConnector.plan(describeAs(table('b'), 'y'), AS_TABLE, { template });
    expect(plan).toMatchObject({ ok: false, error: { failure: { code: 'template-transaction-control' } } });
  });

  it('vouches for a template only when the native value is the wanted one', async () => {
    const native = planned(describeAs(table('b'), 'here'), AS_TABLE, {
      template: ["COMMENT ON TABLE app.b IS 'here'"],
    });
    const elsewhere = planned(describeAs(table('c'), 'there'), AS_TABLE, {
      template: ["COMMENT ON SCHEMA app IS 'there'"],
    });
    const results = await connection.apply([native, elsewhere]);
    expect(results).toEqual([
      { id: native.id, ok: true, verified: 'read', value: 'here' },
      { id: elsewhere.id, ok: true, verified: 'no' },
    ]);
  });
});

describe('PostgreSQL: batches', () => {
  it('unrolls a batch so that three bad items of 250 fail alone', async () => {
    await admin.query(
      'SET ROLE backflow; DO $$ BEGIN FOR i IN 0..249 LOOP EXECUTE format($f$CREATE TABLE app.t%s (id int)$f$, i); END LOOP; END $$; RESET ROLE',
    );
    await admin.query('DROP TABLE app.t0, app.t100, app.t249');
    const writes = Array.from({ length: 250 }, (_, i) => planned(describeAs(table(`t${i}`), `text ${i}`), AS_TABLE));
    const results = new Map((await connection.apply(writes)).map((result) => [result.id, result]));
    const failed = writes
      .filter(({ id }) => results.get(id)?.ok === false)
      .map(({ operation }) => operation.object.table);
    expect(failed.sort()).toEqual(['t0', 't100', 't249']);
    expect(results.size).toBe(250);
    const { rows } = await admin.query(
      "SELECT count(*)::int AS right FROM pg_class c WHERE relname ~ '^t[0-9]+$' AND obj_description(oid, 'pg_class') = 'text ' || substr(relname, 2)",
    );
    expect(rows).toEqual([{ right: 247 }]);
  });

  it('lets an object that is locked fail alone, as transient', async () => {
    const holder = await shop.connect('shop');
    await holder.query('BEGIN; LOCK TABLE app.b IN ACCESS EXCLUSIVE MODE');
    const locked = planned(describeAs(table('b'), 'locked'), AS_TABLE);
    const free = planned(describeAs(table('c'), 'free'), AS_TABLE);
    const results = new Map((await connection.apply([locked, free])).map((result) => [result.id, result]));
    await holder.end();
    expect(results.get(locked.id)).toMatchObject({
      failure: { class: 'transient', scope: 'object', code: '55P03' },
    });
    expect(results.get(free.id)?.ok).toBe(true);
    expect(await commentOf(admin, 'c')).toBe('free');
  });

  it('writes comments before owners, and says when an owner locks us out', async () => {
    await admin.query('CREATE ROLE far NOLOGIN; GRANT USAGE, CREATE ON SCHEMA app TO far');
    await admin.query('GRANT far TO backflow WITH INHERIT FALSE, SET TRUE');
    const owner = planned({ aspect: 'owners', object: table('a'), principal: 'far' }, AS_TABLE);
    const comment = planned(describeAs(table('a'), 'the last word'), AS_TABLE);
    const results = await connection.apply([owner, comment]);
    expect(results.map(({ ok }) => ok)).toEqual([true, true]);
    const note = expect.stringContaining('can no longer write');
    expect(results.find(({ id }) => id === owner.id)).toMatchObject({
      verified: 'commit',
      value: 'far',
      notes: [note],
    });
    expect(await commentOf(admin, 'a')).toBe('the last word');
    const [source] = await connection.read([table('a')]);
    expect(source).toEqual({ exists: true, kind: 'table', description: 'the last word', owner: 'far' });
    const [late] = await connection.apply([planned(describeAs(table('a'), 'too late'), AS_TABLE)]);
    expect(late).toMatchObject({ ok: false, failure: { class: 'permission', code: '42501' } });
    await admin.query('ALTER TABLE app.a OWNER TO backflow');
  });

  it('tells why an owner cannot be changed', async () => {
    await admin.query('CREATE ROLE stranger NOLOGIN; CREATE ROLE poor NOLOGIN; GRANT poor TO backflow');
    const give = (principal: string) => planned({ aspect: 'owners', object: table('a'), principal }, AS_TABLE);
    const results = await connection.apply([give('stranger'), give('poor'), give('nobody')]);
    const failures = results.map((result) => (result.ok ? undefined : result.failure));
    expect(failures[0]).toMatchObject({ class: 'permission', message: expect.stringContaining('SET ROLE') });
    expect(failures[1]).toMatchObject({ class: 'permission', message: expect.stringContaining('CREATE on it') });
    expect(failures[2]).toMatchObject({ class: 'not_found', code: '42704' });
  });

  it('leads from the query log back to the change', async () => {
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    await connection.apply([{ ...planned(describeAs(table('c'), 'traced'), AS_TABLE), traceparent }]);
    await connection.apply([{ ...planned(describeAs(table('c'), 'not traced'), AS_TABLE), traceparent: "x'*/; DROP" }]);
    expect(shop.log()).toContain(`COMMENT ON TABLE "app"."c" IS 'traced' /*traceparent='${traceparent}'*/`);
    expect(shop.log()).toMatch(/IS 'not traced'\n/);
  });
});

describe('PostgreSQL: databases of the server', () => {
  it('writes to every database when told to, and knows which are missing or closed', async () => {
    const root = await shop.connect('postgres');
    await root.query('CREATE DATABASE archive OWNER backflow');
    await root.query('CREATE DATABASE closed');
    await root.query('REVOKE CONNECT ON DATABASE closed FROM PUBLIC');
    await root.end();
    const all = await open({ ingestAllDatabases: true });
    const objects = [database('shop'), database('archive'), database('gone'), database('closed')];
    const sources = await all.read([...objects, database('x'.repeat(64)), database('a\0b')]);
    expect(sources.map(({ exists }) => exists)).toEqual([true, true, false, false, false, false]);
    const writes = objects.map((object) => planned(describeAs(object, `I am ${object.database}`), { exists: true }));
    const results = await all.apply(writes);
    const failures = results.map((result) => (result.ok ? 'ok' : `${result.failure.class} ${result.failure.scope}`));
    expect(failures).toEqual(['ok', 'ok', 'not_found object', 'permission object']);
    expect((await all.read([database('archive')]))[0]?.description).toBe('I am archive');
    await all.close();

    const [outside] = await connection.read([database('archive')]);
    expect(postgresConnector.plan(describeAs(database('archive'), 'x'), outside, {})).toMatchObject({
      error: { failure: { class: 'not_found', code: 'database-not-covered' } },
    });
  });

  it('keeps connections to at most eight databases', async () => {
    const names = Array.from({ length: 10 }, (_, index) => `many${index}`);
    const root = await shop.connect('postgres');
    for (const name of names) await root.query(`CREATE DATABASE ${name}`);
    const all = await open({ ingestAllDatabases: true }, { lane: 'many', epoch: 1 });
    const sources = await Promise.all(names.map((name) => all.read([database(name)])));
    expect(sources.flat().map(({ exists }) => exists)).toEqual(names.map(() => true));
    // A session that was told to end needs a moment; the number can only fall.
    const open8 = async () => {
      const { rows } = await root.query<{ databases: number }>(
        "SELECT count(DISTINCT datname)::int AS databases FROM pg_stat_activity WHERE application_name = 'backflow/many/1'",
      );
      return rows[0]?.databases ?? 0;
    };
    await expect.poll(open8, { timeout: 10_000 }).toBeLessThanOrEqual(8);
    expect(await open8()).toBeGreaterThan(4);
    await all.close();
    await expect.poll(open8, { timeout: 10_000 }).toBe(0);
    await root.end();
  });

  it('holds the whole target when its own database is missing', async () => {
    await expect(open({ database: 'nowhere' })).rejects.toMatchObject({
      class: 'not_found',
      scope: 'target',
      code: '3D000',
    });
  });

  it('writes what the encoding of the database can hold, and lets the rest fail alone', async () => {
    const root = await shop.connect('postgres');
    await root.query("CREATE DATABASE latin OWNER backflow ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0");
    await root.end();
    const latin = await shop.connect('latin');
    await latin.query(
      'CREATE SCHEMA app AUTHORIZATION backflow; SET ROLE backflow; CREATE TABLE app.a (id int); CREATE TABLE app.b (id int)',
    );
    await latin.end();
    const small = await open({ database: 'latin' });
    const objects = [table('a', 'app', 'latin'), table('😀', 'app', 'latin'), table('b', 'app', 'latin')];
    expect((await small.read(objects)).map(({ exists }) => exists)).toEqual([true, false, true]);
    const writes = ['größe', 'emoji 😀'].map((text, index) =>
      planned(describeAs(table(index === 0 ? 'a' : 'b', 'app', 'latin'), text), AS_TABLE),
    );
    const results = await small.apply(writes);
    expect(results.find(({ id }) => id === writes[0]?.id)?.ok).toBe(true);
    expect(results.find(({ id }) => id === writes[1]?.id)).toMatchObject({
      failure: { class: 'invalid', scope: 'object', code: '22P05' },
    });
    expect((await small.read(objects)).map(({ description }) => description)).toEqual(['größe', undefined, undefined]);
    await small.close();
  });
});

describe('PostgreSQL: connections', () => {
  it('ends sessions that an earlier owner of the lane left behind before it reads or writes anything', async () => {
    const old = await open({}, { ...SESSION, epoch: 6 });
    const same = await open({}, { ...SESSION, epoch: 8 });
    const foreign = await open({}, { lane: 'pg_sales/1', epoch: 1 });
    const names = async () => {
      const { rows } = await admin.query<{ name: string }>(
        "SELECT application_name AS name FROM pg_stat_activity WHERE application_name LIKE 'backflow/%' ORDER BY 1",
      );
      return rows.map(({ name }) => name.replace(/~[0-9a-f]{12}/, ''));
    };
    expect(await names()).toContain('backflow/pg_sales_0/6');
    const newest = await open({}, { ...SESSION, epoch: 9 });
    expect(await names()).toContain('backflow/pg_sales_0/6');
    await newest.read([table('c')]);
    expect(await names()).toEqual(['backflow/pg_sales_0/9', 'backflow/pg_sales_1/1']);
    await newest.apply([planned(describeAs(table('c'), 'mine now'), AS_TABLE)]);
    await Promise.all([old, same, foreign, newest].map((one) => one.close()));
  });

  it('is transient for the target while the server is away, and works when it is back', async () => {
    const own = await open({}, { lane: 'crash', epoch: 1 });
    await admin.end();
    await shop.server.crash();
    await expect(own.read([table('c')])).rejects.toMatchObject({ class: 'transient', scope: 'target' });
    await expect(own.apply([planned(describeAs(table('c'), 'x'), AS_TABLE)])).rejects.toMatchObject({
      class: 'transient',
      scope: 'target',
      code: 'ECONNREFUSED',
    });
    await expect(open()).rejects.toMatchObject({ class: 'transient', scope: 'target' });
    await shop.server.restart();
    admin = await shop.connect('shop');
    expect((await own.read([table('c')]))[0]?.description).toBe('mine now');
    await own.close();
  });

  it('holds the whole target on a read-only server', async () => {
    await admin.query("ALTER ROLE backflow SET default_transaction_read_only = 'on'");
    const own = await open({}, { lane: 'standby', epoch: 1 });
    await expect(own.apply([planned(describeAs(table('c'), 'x'), AS_TABLE)])).rejects.toMatchObject({
      class: 'transient',
      scope: 'target',
      code: '25006',
    });
    const report = await own.check([table('c')]);
    expect(report.ok).toBe(false);
    expect(report.findings.find(({ severity }) => severity === 'error')?.remedy).toBe(
      'ALTER ROLE "backflow" SET default_transaction_read_only = off',
    );
    await admin.query('ALTER ROLE backflow RESET default_transaction_read_only');
    await own.close();
  });

  it('takes no plain connection for a TLS one unless that is allowed', async () => {
    await expect(open({ sslMode: 'require' })).rejects.toMatchObject({ class: 'auth', scope: 'target' });
    const lenient = await open({ sslMode: 'prefer' });
    await lenient.close();
  });
});

describe('PostgreSQL: foreign functions', () => {
  it('are not run by our own queries, whatever the search path offers', async () => {
    // A better fit for a literal argument than the real one, in a schema that everybody could write to before version 15.
    await admin.query(`
      CREATE FUNCTION public.obj_description(oid, text) RETURNS text LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'trapped'; END $$;
      CREATE FUNCTION public.pg_has_role(name, oid, text) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'trapped'; END $$;
      CREATE FUNCTION public.current_setting(name) RETURNS text LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'trapped'; END $$;
      ALTER ROLE backflow SET search_path = public, pg_catalog`);
    const own = await open({}, { lane: 'trap', epoch: 1 });
    await expect(admin.query("SELECT obj_description('app.c'::regclass, 'pg_class')")).rejects.toThrow('trapped');
    expect((await own.read([table('c')]))[0]?.exists).toBe(true);
    expect((await own.check([table('c')])).ok).toBe(true);
    const owner = planned({ aspect: 'owners', object: table('c'), principal: 'backflow' }, AS_TABLE);
    expect(await own.apply([owner, planned(describeAs(table('c'), 'safe'), AS_TABLE)])).toMatchObject([
      { ok: true },
      { ok: true },
    ]);
    await own.close();
    await admin.query(
      'DROP FUNCTION public.obj_description, public.pg_has_role, public.current_setting; ALTER ROLE backflow RESET search_path',
    );
  });
});

describe('PostgreSQL: check', () => {
  it('names each missing privilege with the statement that grants it', async () => {
    await admin.query('CREATE ROLE "the ""boss""" NOLOGIN; CREATE SCHEMA vault AUTHORIZATION "the ""boss"""');
    await admin.query('CREATE TABLE vault.t (id int); ALTER TABLE vault.t OWNER TO "the ""boss"""');
    const objects = [table('c'), table('t', 'vault')];
    const report = await connection.check(objects);
    expect(report).toMatchObject({ ok: false, server: 'PostgreSQL 18.4', user: 'backflow' });
    const remedies = report.findings.filter(({ severity }) => severity === 'error').map(({ remedy }) => remedy ?? '');
    expect(remedies).toEqual(['GRANT "the ""boss""" TO "backflow"', 'GRANT USAGE ON SCHEMA "vault" TO "backflow"']);
    expect(await connection.check([table('c')])).toMatchObject({ ok: true });
    for (const remedy of remedies) await admin.query(remedy);
    expect(await connection.check(objects)).toMatchObject({ ok: true });
    const [result] = await connection.apply([planned(describeAs(table('t', 'vault'), 'opened'), AS_TABLE)]);
    expect(result?.ok).toBe(true);
  });

  it('looks at everything when no objects are named', async () => {
    await admin.query(
      'CREATE ROLE other NOLOGIN; CREATE TABLE app.foreign_one (id int); ALTER TABLE app.foreign_one OWNER TO other',
    );
    const report = await connection.check([]);
    const remedies = report.findings.filter(({ severity }) => severity === 'error').map(({ remedy }) => remedy);
    expect(remedies).toContain('GRANT "other" TO "backflow"');
    expect(report.findings.some(({ remedy }) => remedy === 'ALTER ROLE "backflow" CREATEDB')).toBe(true);
  });

  it('warns of a superuser', async () => {
    const root = await postgresConnector.open(
      postgresConnector.spec.config.parse(shop.server.connection('shop')),
      SESSION,
    );
    const report = await root.check([]);
    expect(report.ok).toBe(true);
    expect(report.findings).toMatchObject([{ severity: 'warning', message: expect.stringContaining('superuser') }]);
    await root.close();
  });
});
