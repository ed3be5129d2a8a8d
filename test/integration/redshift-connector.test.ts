import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Connection, PlannedWrite, PlanOptions, SourceObject } from '../../connectors/contract.ts';
import { openRedshift } from '../../connectors/redshift/connection.ts';
import { redshiftConnector } from '../../connectors/redshift/connector.ts';
import type { ObjectRef, Operation } from '../../src/domain/operation.ts';
import { ref } from '../support/redshift-harness.ts';
import { type RedshiftPeer, startRedshiftPeer } from '../support/redshift-peer.ts';
import type { Interception } from '../support/redshift-proxy.ts';

const SESSION = { lane: 'rs/0', epoch: 7 };
const AS_TABLE: SourceObject = { exists: true, kind: 'table' };

let peer: RedshiftPeer;
let admin: pg.Client;
let connection: Connection;
let intercept: ((statement: string) => Interception | undefined) | undefined;

beforeAll(async () => {
  peer = await startRedshiftPeer({ intercept: (statement) => intercept?.(statement) });
  admin = await peer.createDatabase('shop');
  await admin.query("CREATE USER backflow PASSWORD 'pw'; CREATE USER sales; CREATE USER boss PASSWORD 'pw' SUPERUSER");
  await admin.query(
    'GRANT sales TO backflow; CREATE SCHEMA app AUTHORIZATION backflow; GRANT ALL ON SCHEMA app TO sales',
  );
  await admin.query('CREATE SCHEMA spectrum AUTHORIZATION backflow; SET ROLE backflow');
  await admin.query(`
    CREATE TABLE app.a (id int); CREATE TABLE app.b (id int); CREATE TABLE app.c (id int);
    CREATE TABLE app."App" (id int); CREATE TABLE app.app (id int);
    CREATE VIEW app.late AS SELECT; CREATE VIEW app.totals AS SELECT id FROM app.a; RESET ROLE;
    INSERT INTO redshift_catalog.late_binding_columns VALUES ('app', 'late', 'id', 'integer', 1);
    INSERT INTO redshift_catalog.materialized_views VALUES ('app', 'totals');
    INSERT INTO redshift_catalog.external_schemas VALUES ('spectrum');
    INSERT INTO redshift_catalog.external_objects VALUES ('spectrum', 'clicks', 'at');
    INSERT INTO redshift_catalog.shared_databases VALUES ('partner')`);
  connection = await open();
});

afterAll(async () => {
  await connection.close();
  await peer.stop();
});

function open(over: Record<string, unknown> = {}): Promise<Connection> {
  const json = { ...peer.connection('backflow', 'pw', 'shop'), ...over };
  return redshiftConnector.open(redshiftConnector.spec.config.parse(json), SESSION);
}

/** Runs the work while statements are intercepted. */
async function during<T>(trap: NonNullable<typeof intercept>, work: () => Promise<T>): Promise<T> {
  intercept = trap;
  try {
    return await work();
  } finally {
    intercept = undefined;
  }
}

let ids = 0;
function planned(operation: Operation, source: SourceObject = AS_TABLE, options: PlanOptions = {}): PlannedWrite {
  const plan = redshiftConnector.plan(operation, source, options);
  if (!plan.ok) throw new Error(`refused: ${plan.error.failure.code}`);
  ids += 1;
  return { id: `w${ids}`, operation, plan: plan.value, options, source };
}

const describeAs = (object: ObjectRef, text: string): Operation => ({ aspect: 'description', object, text });
const giveTo = (object: ObjectRef, principal: string): Operation => ({ aspect: 'owners', object, principal });
const table = (name: string) => ref('table', 'app', name);

async function commentOf(name: string): Promise<string | null> {
  const { rows } = await admin.query<{ text: string | null }>(
    "SELECT obj_description(to_regclass($1), 'pg_class') AS text",
    [`app.${name}`],
  );
  return rows[0]?.text ?? null;
}

/** What a read finds, and what the planner makes of it. */
async function verdict(object: ObjectRef, operation: Operation, by = connection): Promise<string> {
  const [source] = await by.read([object]);
  const plan = redshiftConnector.plan(operation, source, {});
  return `${source?.kind ?? 'nothing'}: ${plan.ok ? 'planned' : `${plan.error.outcome} ${plan.error.failure.code}`}`;
}

describe('Redshift: what cannot be written', () => {
  it.each([
    [ref('table', 'app', 'late'), 'late-binding view: planned'],
    [ref('column', 'app', 'late', 'id'), 'late-binding view: skipped late-binding-column'],
    [ref('column', 'app', 'late', 'gone'), 'nothing: failed column-missing'],
    [ref('table', 'app', 'totals'), 'materialized view: planned'],
    [ref('schema', 'spectrum'), 'external schema: skipped external-object'],
    [ref('table', 'spectrum', 'clicks'), 'external table: skipped external-object'],
    [ref('column', 'spectrum', 'clicks', 'at'), 'external table: skipped external-object'],
    [ref('column', 'spectrum', 'clicks', 'gone'), 'nothing: failed column-missing'],
    [ref('table', 'spectrum', 'gone'), 'nothing: failed object-missing'],
  ])('is recognised: %j', async (object, expected) => {
    expect(await verdict(object, describeAs(object, 'x'))).toBe(expected);
  });

  it('does not fail what stands beside it when a catalogue outside is out of reach', async () => {
    const objects = [ref('column', 'spectrum', 'clicks', 'at'), table('c'), ref('column', 'app', 'late', 'id')];
    const sources = await during(
      (statement) =>
        /svv_external_(?:tables|columns)|late_binding_view_cols/.test(statement)
          ? { code: 'XX000', message: 'the catalogue outside does not answer' }
          : undefined,
      () => connection.read(objects),
    );
    expect(sources.map(({ kind }) => kind)).toEqual(['external table', 'table', 'late-binding view']);
  });

  it('includes owners of materialized views', async () => {
    const object = table('totals');
    expect(await verdict(object, giveTo(object, 'sales'))).toBe('materialized view: skipped materialized-view-owner');
  });

  it('includes databases that are only shared with the cluster', async () => {
    const all = await open({ ingestAllDatabases: true });
    const object: ObjectRef = { ...table('a'), database: 'partner' };
    expect(await verdict(object, describeAs(object, 'x'), all)).toBe('nothing: skipped database-shared');
    const [result] = await all.apply([planned(describeAs(object, 'x'))]);
    expect(result).toMatchObject({ failure: { class: 'unsupported', scope: 'object', code: 'database-shared' } });
    const report = await all.check([object]);
    expect(report.findings.find(({ severity }) => severity === 'error')?.message).toContain('datashare');
    await all.close();
  });
});

describe('Redshift: silent traps', () => {
  it('writes to the name as it is, where the server would fold it', async () => {
    const folding = new pg.Client({ connectionString: `postgres://backflow:pw@127.0.0.1:${peer.proxy.port}/shop` });
    await folding.connect();
    await folding.query(`COMMENT ON TABLE app."App" IS 'astray'`);
    await folding.end();
    expect([await commentOf('"App"'), await commentOf('app')]).toEqual([null, 'astray']);
    await connection.apply([planned(describeAs(table('App'), 'exact'))]);
    expect([await commentOf('"App"'), await commentOf('app')]).toEqual(['exact', 'astray']);
  });

  it('does not open a session whose names or literals it could not trust', async () => {
    const folded = during(
      (statement) => (statement.includes('case_sensitive') ? { code: '42704', message: 'unrecognized' } : undefined),
      () => open(),
    );
    await expect(folded).rejects.toMatchObject({ class: 'unsupported', scope: 'target', code: 'names-folded' });
    for (const answer of [`'?' AS plain, $$\\\\$$ AS dollar`, `$$\\$$ AS plain, $$\\$$ AS dollar`]) {
      const odd = during(
        (statement) => (statement.includes('AS plain') ? { run: `SELECT ${answer}` } : undefined),
        () => open(),
      );
      await expect(odd).rejects.toMatchObject({ class: 'unsupported', scope: 'target', code: 'literals-unknown' });
    }
  });

  it('rolls back what the server keeps otherwise than it was written, and that alone', async () => {
    const writes = ['a', 'b', 'c'].map((name) => planned(describeAs(table(name), `all of ${name}`)));
    const results = await during(
      (statement) => (statement.includes('all of b') ? { run: statement.replace('all of b', 'all') } : undefined),
      () => connection.apply(writes),
    );
    const byId = new Map(results.map((result) => [result.id, result]));
    expect(writes.map(({ id }) => byId.get(id))).toMatchObject([
      { ok: true, verified: 'read', value: 'all of a' },
      { ok: false, failure: { class: 'invalid', scope: 'object', code: 'not-kept' } },
      { ok: true, verified: 'read', value: 'all of c' },
    ]);
    expect([await commentOf('a'), await commentOf('b'), await commentOf('c')]).toEqual(['all of a', null, 'all of c']);
  });

  it('fails when the server only warns of another database, or of one that does not exist', async () => {
    for (const [database, code, failureClass] of [
      ['postgres', '0A000', 'invalid'],
      ['no_such', '3D000', 'not_found'],
    ]) {
      const template = ["COMMENT ON TABLE app.b IS 'before'", `COMMENT ON DATABASE ${database} IS 'lost'`];
      const [result] = await connection.apply([planned(describeAs(table('b'), 'lost'), AS_TABLE, { template })]);
      expect(result).toMatchObject({ ok: false, failure: { class: failureClass, scope: 'object', code } });
      expect(await commentOf('b')).toBeNull();
    }
  });

  it('plans anew, once, when the object has become one of another kind', async () => {
    const write = planned(describeAs(table('swap'), 'of a view'));
    await admin.query('SET ROLE backflow; CREATE VIEW app.swap AS SELECT 1 AS id; RESET ROLE');
    const other = planned(describeAs(table('b'), 'beside it'));
    const results = new Map((await connection.apply([write, other])).map((result) => [result.id, result]));
    expect(results.get(write.id)).toEqual({
      id: write.id,
      ok: true,
      verified: 'read',
      value: 'of a view',
      statements: [`COMMENT ON VIEW "app"."swap" IS 'of a view'`],
      notes: ['The object is a view now; the statement was made anew.'],
    });
    expect(results.get(other.id)?.ok).toBe(true);
    expect(await commentOf('swap')).toBe('of a view');
  });

  it('vouches for a template only when the native value is the wanted one', async () => {
    const native = planned(describeAs(table('b'), 'here'), AS_TABLE, {
      template: ["COMMENT ON TABLE app.b IS 'here'"],
    });
    const elsewhere = planned(describeAs(table('c'), 'there'), AS_TABLE, {
      template: ["COMMENT ON SCHEMA app IS 'there'"],
    });
    expect(await connection.apply([native, elsewhere])).toEqual([
      { id: native.id, ok: true, verified: 'read', value: 'here' },
      { id: elsewhere.id, ok: true, verified: 'no' },
    ]);
  });
});

describe('Redshift: batches', () => {
  it('lets three bad items of 120 fail alone, and runs no statement more than a few times', async () => {
    await admin.query(
      'SET ROLE backflow; DO $$ BEGIN FOR i IN 0..119 LOOP EXECUTE format($f$CREATE TABLE app.t%s (id int)$f$, i); END LOOP; END $$; RESET ROLE',
    );
    await admin.query('DROP TABLE app.t0, app.t57, app.t119');
    const writes = Array.from({ length: 120 }, (_, i) => planned(describeAs(table(`t${i}`), `text ${i}`)));
    peer.proxy.statements();
    const results = new Map((await connection.apply(writes)).map((result) => [result.id, result]));
    const failed = writes.filter(({ id }) => results.get(id)?.ok === false);
    expect(failed.map(({ operation }) => operation.object.table).sort()).toEqual(['t0', 't119', 't57']);
    expect(results.size).toBe(120);
    const statements = peer.proxy.statements();
    expect(statements.filter((statement) => statement.startsWith('COMMENT')).length).toBeLessThan(2 * 120);
    expect(statements.filter((statement) => statement === 'BEGIN').length).toBeLessThanOrEqual(9);
    expect(statements.some((statement) => statement.includes('SAVEPOINT'))).toBe(false);
    const { rows } = await admin.query(
      "SELECT count(*)::int AS right FROM pg_class c WHERE relname ~ '^t[0-9]+$' AND obj_description(oid, 'pg_class') = 'text ' || substr(relname, 2)",
    );
    expect(rows).toEqual([{ right: 117 }]);
  });

  it('reports a transaction that another one overtook as a conflict of that object', async () => {
    const writes = ['b', 'c'].map((name) => planned(describeAs(table(name), `new ${name}`)));
    const results = await during(
      (statement) =>
        statement.includes("'new c'")
          ? { code: 'XX000', message: '1023 Serializable isolation violation on table' }
          : undefined,
      () => connection.apply(writes),
    );
    expect(results.find(({ id }) => id === writes[0]?.id)?.ok).toBe(true);
    expect(results.find(({ id }) => id === writes[1]?.id)).toMatchObject({
      failure: { class: 'conflict', scope: 'object', code: 'XX000' },
    });
  });

  it('reports nothing as written when the server rolls back instead of committing', async () => {
    const writes = ['b', 'c'].map((name) => planned(describeAs(table(name), 'never')));
    const results = await during(
      (statement) => (statement === 'COMMIT' ? { run: 'ROLLBACK' } : undefined),
      () => connection.apply(writes),
    );
    for (const result of results) {
      expect(result).toMatchObject({ ok: false, failure: { class: 'transient', code: 'not-committed' } });
    }
    expect(await commentOf('b')).toBe('new b');
    expect(await commentOf('c')).not.toBe('never');
  });

  it('writes comments before owners, and says when an owner locks us out', async () => {
    const owner = planned(giveTo(table('a'), 'sales'));
    const comment = planned(describeAs(table('a'), 'the last word'));
    const results = await connection.apply([owner, comment]);
    expect(results.map(({ ok }) => ok)).toEqual([true, true]);
    const note = expect.stringContaining('can no longer write');
    expect(results.find(({ id }) => id === owner.id)).toMatchObject({
      verified: 'read',
      value: 'sales',
      notes: [note],
    });
    const [source] = await connection.read([table('a')]);
    expect(source).toEqual({ exists: true, kind: 'table', description: 'the last word', owner: 'sales' });
    const boss = await open({ username: 'boss' });
    const [back] = await boss.apply([planned(giveTo(table('a'), 'backflow'))]);
    expect(back).toEqual({ id: back?.id, ok: true, verified: 'read', value: 'backflow' });
    await boss.close();
  });

  it('leads from the query log back to the change, and names its sessions', async () => {
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    peer.proxy.statements();
    await connection.apply([{ ...planned(describeAs(table('c'), 'traced')), traceparent }]);
    expect(peer.proxy.statements()).toContain(
      `COMMENT ON TABLE "app"."c" IS 'traced' /*traceparent='${traceparent}'*/`,
    );
    const { rows } = await admin.query<{ name: string }>(
      "SELECT DISTINCT application_name AS name FROM pg_stat_activity WHERE application_name LIKE 'backflow/%'",
    );
    expect(rows.map(({ name }) => name.replace(/~[0-9a-f]{12}/, ''))).toEqual(['backflow/rs_0/7']);
  });
});

describe('Redshift: databases and logins', () => {
  it('writes to every database of the cluster when told to, and knows which are missing', async () => {
    await (await peer.createDatabase('archive')).query('ALTER DATABASE archive OWNER TO backflow');
    const all = await open({ ingestAllDatabases: true });
    const database = (name: string): ObjectRef => ({ ...ref('database'), database: name });
    const objects = ['archive', 'gone', 'x'.repeat(128), 'a\0b'].map(database);
    const sources = await all.read(objects);
    expect(sources.map(({ exists }) => exists)).toEqual([true, false, false, false]);
    const writes = objects.slice(0, 2).map((object) => planned(describeAs(object, 'kept'), { exists: true }));
    const results = await all.apply(writes);
    expect(results.map((result) => (result.ok ? result.value : result.failure.class))).toEqual(['kept', 'not_found']);
    expect((await all.read([database('archive')]))[0]).toMatchObject({ description: 'kept', owner: 'backflow' });
    await all.close();
    expect(await verdict(database('archive'), describeAs(database('archive'), 'x'))).toBe(
      'nothing: failed database-not-covered',
    );
  });

  it('logs in as AWS says, with a temporary password', async () => {
    const { password: _, ...json } = peer.connection('backflow', '', 'shop');
    const aws = { authType: { awsConfig: { awsRegion: 'eu-west-1' } }, clusterIdentifier: 'c1', ...json };
    const config = redshiftConnector.spec.config.parse(aws);
    await admin.query(`CREATE USER "IAM:backflow" PASSWORD 'temporary'`);
    const asked: unknown[] = [];
    const own = await openRedshift(config, SESSION, (request) => {
      asked.push(request);
      return Promise.resolve({ user: 'IAM:backflow', password: 'temporary', expiresAt: Date.now() + 900_000 });
    });
    expect((await own.check([])).user).toBe('IAM:backflow');
    await own.close();
    expect(asked).toEqual([{ target: { cluster: 'c1' }, region: 'eu-west-1', user: 'backflow', database: 'shop' }]);
  });
});

describe('Redshift: check', () => {
  it('names each missing privilege with the statement that grants it', async () => {
    await admin.query('CREATE USER "the ""chief"""; CREATE SCHEMA vault AUTHORIZATION "the ""chief"""');
    await admin.query('CREATE TABLE vault.t (id int); ALTER TABLE vault.t OWNER TO "the ""chief"""');
    const objects = [table('c'), ref('column', 'vault', 't', 'id'), ref('schema', 'vault')];
    const report = await connection.check(objects);
    expect(report).toMatchObject({ ok: false, server: 'Redshift 1.0.115467', user: 'backflow' });
    const remedies = report.findings.filter(({ severity }) => severity === 'error').map(({ remedy }) => remedy ?? '');
    expect(remedies).toEqual([
      'ALTER TABLE "vault"."t" OWNER TO "backflow"',
      'ALTER SCHEMA "vault" OWNER TO "backflow"',
      'GRANT USAGE ON SCHEMA "vault" TO "backflow"',
    ]);
    expect(await connection.check([table('c')])).toMatchObject({ ok: true });
    for (const remedy of remedies) await admin.query(remedy);
    expect(await connection.check(objects)).toMatchObject({ ok: true });
    const [result] = await connection.apply([planned(describeAs(ref('table', 'vault', 't'), 'opened'))]);
    expect(result?.ok).toBe(true);
  });

  it('looks at everything when no objects are named, and knows that a superuser may do all', async () => {
    await admin.query('CREATE TABLE app.foreign_one (id int)');
    const remedyOf = async (by: Connection) =>
      (await by.check([])).findings.filter(({ severity }) => severity === 'error').map(({ remedy }) => remedy);
    expect(await remedyOf(connection)).toContain('ALTER USER "backflow" CREATEUSER');
    const boss = await open({ username: 'boss' });
    const report = await boss.check([]);
    expect(report).toMatchObject({ ok: true, user: 'boss' });
    expect(report.findings.map(({ message }) => message)).toEqual([expect.stringContaining('as an escape')]);
    await boss.close();
  });
});

describe('Redshift: foreign functions', () => {
  it('are not run by our own queries, whatever the search path offers', async () => {
    const trap = "LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'trapped'; END $$";
    await admin.query(`
      CREATE FUNCTION public.pg_get_userbyid(oid) RETURNS name ${trap};
      CREATE FUNCTION public.pg_get_viewdef(oid) RETURNS text ${trap};
      CREATE FUNCTION public.substr(text, int, int) RETURNS text ${trap};
      CREATE FUNCTION public.substr(name, int, int) RETURNS text ${trap};
      CREATE FUNCTION public.current_database() RETURNS name ${trap};
      CREATE FUNCTION public.has_schema_privilege(name, name, text) RETURNS boolean ${trap};
      CREATE FUNCTION public.version() RETURNS text ${trap};
      ALTER USER backflow SET search_path = public, pg_catalog`);
    await expect(
      admin.query('SET search_path = public, pg_catalog; SELECT substr(relname, 1, 3) FROM pg_class'),
    ).rejects.toThrow('trapped');
    await admin.query('RESET search_path');
    const own = await open();
    const sources = await own.read([ref('database'), table('c'), table('late'), ref('column', 'app', 'late', 'id')]);
    expect(sources.map(({ exists }) => exists)).toEqual([true, true, true, true]);
    expect((await own.check([table('c')])).ok).toBe(true);
    expect((await own.check([])).user).toBe('backflow');
    expect(
      await own.apply([planned(describeAs(table('c'), 'safe')), planned(giveTo(table('c'), 'backflow'))]),
    ).toMatchObject([{ ok: true }, { ok: true }]);
    await own.close();
    await admin.query('ALTER USER backflow RESET search_path');
  });
});
