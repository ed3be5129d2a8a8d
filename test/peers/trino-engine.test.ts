import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Connection, SourceObject, WriteResult } from '../../connectors/contract.ts';
import { trinoDialect } from '../../connectors/dialect/trino-dialect.ts';
import type { StatementClient } from '../../connectors/trino/client/statement-client.ts';
import { openTrino } from '../../connectors/trino/connection.ts';
import { planTrino } from '../../connectors/trino/plan.ts';
import { trinoSpec } from '../../connectors/trino/spec.ts';
import type { Operation } from '../../src/domain/operation.ts';
import { ClassCoverage, enoughOf } from '../support/class-coverage.ts';
import { hostileName, hostileText } from '../support/hostile-text.ts';
import { trinoRef } from '../support/trino-harness.ts';
import { TRINO_MUTANTS } from '../support/trino-mutants.ts';
import { quoted } from '../support/trino-quoted.ts';
import {
  distinctNames,
  type QuotingRun,
  TRINO_NAME_PLACES,
  TRINO_TEXT_PLACES,
  tablesFor,
  throughDefaultPlans,
  throughNamePlace,
  throughTextPlace,
} from '../support/trino-quoting.ts';
import { clientOf, connectionOf, dumpTrino } from '../support/trino-real-harness.ts';
import { obtainTrino, type RealTrino, startRealTrino } from '../support/trino-real-server.ts';
import { TrinoZoo } from '../support/trino-zoo.ts';

const SEED = 20_261_130;
const LONG = 1_800_000;
const programs = await obtainTrino();
const missing = 'missing' in programs ? programs.missing : undefined;
if (missing !== undefined) process.stderr.write(`\n!! The real Trino is skipped: ${missing}\n\n`);

describe.skipIf(missing !== undefined)('a real Trino 476', () => {
  let trino: RealTrino;
  let admin: StatementClient;
  const closing: (() => Promise<void> | void)[] = [];

  beforeAll(async () => {
    if ('missing' in programs) return;
    trino = await startRealTrino(programs);
    admin = await clientOf(trino, 'admin', { strict: 'admin' });
    for (const statement of [
      'CREATE SCHEMA strict.app',
      'CREATE ROLE finance IN strict',
      'CREATE TABLE strict.app.t (id integer)',
      'CREATE VIEW strict.app.v AS SELECT id FROM strict.app.t',
      'CREATE VIEW strict.app.w AS SELECT id FROM strict.app.t',
      'GRANT SELECT ON strict.app.v TO USER bob',
      'GRANT SELECT ON strict.app.w TO USER bob',
      'GRANT admin TO USER backflow IN strict',
      'CREATE SCHEMA ice.app',
      'CREATE TABLE ice.app.t (a integer, b integer, c integer)',
      'CREATE SCHEMA memory.app',
      'CREATE TABLE memory.app.t (id integer)',
    ]) {
      await admin.run(statement);
    }
  }, LONG);

  afterAll(async () => {
    for (const close of closing.reverse()) await close();
    admin?.close();
    await trino?.stop();
  });

  async function connect(user: string, roles: Readonly<Record<string, string>> = {}, times = {}): Promise<Connection> {
    const config = trinoSpec.config.parse(connectionOf(trino, user, { backflow: { roles } }));
    const connection = await openTrino(config, { lane: 'engine', epoch: 1 }, times);
    closing.push(() => connection.close());
    return connection;
  }

  async function write(connection: Connection, operation: Operation): Promise<WriteResult | string> {
    const [source] = await connection.read([operation.object]);
    const planned = planTrino(operation, source, {});
    if (!planned.ok) return planned.error.failure.code;
    const sourceRead: SourceObject = source ?? { exists: false };
    const [result] = await connection.apply([
      { id: 'w', operation, plan: planned.value, options: {}, source: sourceRead },
    ]);
    return result ?? 'no result';
  }

  const grantsOf = async (view: string): Promise<readonly string[]> => {
    const query = `SELECT DISTINCT grantee FROM strict.information_schema.table_privileges WHERE table_name = '${view}' ORDER BY 1`;
    return (await admin.rows(query, z.tuple([z.string()]))).map(([grantee]) => grantee);
  };

  it(
    'takes the grants of a view away with a comment under sql-standard security, so the connector does not write it',
    async () => {
      expect(await grantsOf('v')).toEqual(['admin', 'bob']);
      const connection = await connect('backflow', { strict: 'admin' });
      for (const object of [trinoRef('table', 'strict', 'app', 'v'), trinoRef('column', 'strict', 'app', 'v', 'id')]) {
        expect(await write(connection, { aspect: 'description', object, text: 'x' })).toBe('view-grants');
      }
      expect(
        await write(connection, {
          aspect: 'owners',
          object: trinoRef('table', 'strict', 'app', 'v'),
          principal: 'ada',
        }),
      ).toMatchObject({ ok: true, verified: 'no' });
      expect(await grantsOf('v')).toEqual(['admin', 'bob']);
      // The trap itself; when a later version has mended it, this test says so.
      await admin.run("COMMENT ON VIEW strict.app.w IS 'x'");
      expect(await grantsOf('w')).toEqual(['admin']);
    },
    LONG,
  );

  it(
    'asks for privileges without writing anything, and names what gives them',
    async () => {
      const objects = [trinoRef('table', 'strict', 'app', 't'), trinoRef('column', 'strict', 'app', 't', 'id')];
      await admin.run("COMMENT ON TABLE strict.app.t IS 'before'");
      const guest = await (await connect('guest')).check(objects);
      expect(guest).toMatchObject({ ok: false, server: 'Trino 476', user: 'guest' });
      expect(guest.findings.find(({ severity }) => severity === 'error')?.remedy).toContain(
        'GRANT admin TO USER "guest" IN "strict"',
      );
      const role = await (await connect('backflow', { strict: 'admin' })).check(objects);
      expect(role.findings.filter(({ severity }) => severity !== 'info')).toEqual([]);
      const [source] = await (await connect('backflow', { strict: 'admin' })).read(objects);
      expect(source).toMatchObject({ description: 'before' });
    },
    LONG,
  );

  it(
    'does as the GRANT of the check says',
    async () => {
      const object = trinoRef('table', 'strict', 'app', 't');
      expect(await write(await connect('guest'), { aspect: 'description', object, text: 'x' })).toMatchObject({
        ok: false,
        failure: { class: 'permission' },
      });
      await admin.run('GRANT admin TO USER "guest" IN "strict"');
      expect(
        await write(await connect('guest', { strict: 'admin' }), { aspect: 'description', object, text: 'x' }),
      ).toMatchObject({ ok: true, verified: 'read' });
    },
    LONG,
  );

  it(
    'reports a role that may not be enabled as a matter of the login',
    async () => {
      await expect(connect('backflow', { strict: 'nobody' })).rejects.toMatchObject({
        class: 'auth',
        failure: { scope: 'target' },
      });
    },
    LONG,
  );

  it(
    'gives schemas to roles and users, reads that back, and knows what catalogs lack',
    async () => {
      const connection = await connect('backflow', { strict: 'admin' });
      const schema = trinoRef('schema', 'strict', 'app');
      for (const principal of ['role:finance', 'ada', 'role:finance']) {
        expect(await write(connection, { aspect: 'owners', object: schema, principal })).toMatchObject({
          ok: true,
          verified: 'read',
          value: principal,
        });
      }
      expect(await write(connection, { aspect: 'owners', object: schema, principal: 'role:nobody' })).toMatchObject({
        failure: { class: 'not_found' },
      });
      for (const catalog of ['ice', 'memory']) {
        const operation: Operation = {
          aspect: 'owners',
          object: trinoRef('table', catalog, 'app', 't'),
          principal: 'ada',
        };
        expect(await write(connection, operation)).toMatchObject({
          failure: { class: 'unsupported', code: 'NOT_SUPPORTED' },
        });
        expect(await write(connection, operation)).toBe('connector-lacks');
      }
    },
    LONG,
  );

  it(
    'loses no column comment of Iceberg, where concurrent commits fail',
    async () => {
      const objects = ['a', 'b', 'c'].map((column) => trinoRef('column', 'ice', 'app', 't', column));
      const one = await connect('backflow');
      const sources = await one.read(objects);
      for (let round = 0; round < 3; round += 1) {
        const writes = objects.map((object, i) => {
          const operation = { aspect: 'description', object, text: `${round} of ${i}` } as const;
          const source = sources[i] ?? { exists: false };
          const plan = planTrino(operation, source, {});
          if (!plan.ok) throw new Error('refused');
          return { id: String(i), operation, plan: plan.value, options: {}, source };
        });
        expect((await one.apply(writes)).every((result) => result.ok && result.verified === 'read')).toBe(true);
      }
      // Two connections at once: what is not written says that it collided.
      const other = await connect('backflow');
      const collide = async (connection: Connection, i: number): Promise<WriteResult | string> => {
        const object = objects[i] ?? trinoRef('table', 'ice', 'app', 't');
        return write(connection, { aspect: 'description', object, text: `collides ${i}` });
      };
      const results = await Promise.all([collide(one, 0), collide(other, 1), collide(one, 2)]);
      for (const result of results) {
        if (typeof result === 'string' || !result.ok)
          expect(result).toMatchObject({ failure: { class: 'conflict', scope: 'object' } });
      }
      const after = await one.read(objects);
      for (const [i, result] of results.entries()) {
        if (typeof result !== 'string' && result.ok) expect(after[i]?.description).toBe(`collides ${i}`);
      }
    },
    LONG,
  );

  it(
    'cancels a statement that takes too long',
    async () => {
      const slow =
        'SELECT count(*) FROM UNNEST(sequence(1, 10000)) a(x) CROSS JOIN UNNEST(sequence(1, 10000)) b(y) CROSS JOIN UNNEST(sequence(1, 10000)) c(z)';
      const abort = new AbortController();
      const running = admin.run(slow, { signal: abort.signal });
      const state = async () =>
        (
          await admin.rows(
            "SELECT state FROM system.runtime.queries WHERE query LIKE 'SELECT count(*) FROM UNNEST%'",
            z.tuple([z.string()]),
          )
        ).flat();
      await expect.poll(state, { timeout: 60_000 }).toEqual(['RUNNING']);
      abort.abort();
      await expect(running).rejects.toMatchObject({ code: 'aborted' });
      await expect.poll(state, { timeout: 60_000 }).toEqual(['FAILED']);
    },
    LONG,
  );

  describe('P5 and P6 on the engine', () => {
    const texts = enoughOf(hostileText(), { count: 130, perClass: 104, seed: SEED });
    const names = distinctNames(
      enoughOf(hostileName({ max: 60, unit: 'characters' }), { count: 130, perClass: 106, seed: SEED + 1 }),
    );
    const coverage = new ClassCoverage();
    let connection: Connection;
    let run: QuotingRun;

    const place = {
      async build(tables: readonly string[]) {
        await admin.run('DROP SCHEMA IF EXISTS memory.zoo CASCADE');
        await admin.run('CREATE SCHEMA memory.zoo');
        const waiting = [...tables];
        const worker = async (): Promise<void> => {
          for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
            await admin.run(
              `CREATE TABLE ${quoted('memory', 'zoo', name)} (${quoted(name)} integer, "the other" integer)`,
            );
          }
        };
        await Promise.all([worker(), worker(), worker()]);
        await admin.run('CREATE TABLE memory.zoo.canary (id integer)');
        await admin.run("COMMENT ON TABLE memory.zoo.canary IS 'sings'");
      },
      dump: () => dumpTrino(admin, trino),
    };

    beforeAll(async () => {
      if (missing !== undefined) return;
      connection = await connect('backflow');
      const zoo = new TrinoZoo(place, connection, trinoDialect);
      await zoo.build(tablesFor(names));
      run = { zoo, dialect: trinoDialect, names, texts, coverage, batch: 100 };
    }, LONG);

    it(
      'writes any text to any name through default plans, and nothing else',
      async () => {
        expect(await throughDefaultPlans(run, 1)).toEqual([]);
      },
      LONG,
    );

    it.each(TRINO_TEXT_PLACES)(
      'writes any text through a template: $name',
      async (one) => {
        expect(await throughTextPlace(run, one)).toEqual([]);
      },
      LONG,
    );

    it.each(TRINO_NAME_PLACES)(
      'finds any name through a template: $name',
      async (one) => {
        expect(await throughNamePlace(run, one)).toEqual([]);
      },
      LONG,
    );

    it('has written at least 100 values of each class in each place', () => {
      console.log(`Trino 476: ${coverage.total} values\n${coverage.table()}`);
      expect(coverage.least()).toBeGreaterThanOrEqual(100);
    });

    it.each(TRINO_MUTANTS.slice(0, 3))(
      'notices broken quoting: $name',
      async ({ dialect }) => {
        const zoo = new TrinoZoo(place, connection, dialect);
        const some = names.slice(0, 25);
        const small: QuotingRun = {
          zoo,
          dialect,
          names: some,
          texts: texts.slice(0, 25),
          coverage: new ClassCoverage(),
          batch: 50,
        };
        await zoo.build(tablesFor(some));
        expect(await throughDefaultPlans(small, 1)).not.toEqual([]);
      },
      LONG,
    );
  });
});
