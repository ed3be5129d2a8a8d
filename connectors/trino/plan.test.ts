import { describe, expect, it } from 'vitest';
import type { ObjectRef, Operation } from '../../src/domain/operation.ts';
import type { PlanOptions, SourceObject } from '../contract.ts';
import { planTrino } from './plan.ts';
import { formatPrincipal, ownerIn, parsePrincipal } from './principal.ts';

const table: ObjectRef = {
  level: 'table',
  entityType: 'table',
  fqn: 'trino.lake.app.orders',
  service: 'trino',
  database: 'lake',
  schema: 'app',
  table: 'orders',
};
const column: ObjectRef = { ...table, level: 'column', column: ['note'] };
const schema: ObjectRef = {
  level: 'schema',
  entityType: 'databaseSchema',
  fqn: 'x',
  service: 'trino',
  database: 'lake',
  schema: 'app',
};
const catalog: ObjectRef = { level: 'database', entityType: 'database', fqn: 'x', service: 'trino', database: 'lake' };

const describeAs = (object: ObjectRef, text: string | undefined): Operation => ({
  aspect: 'description',
  object,
  text,
});
const giveTo = (object: ObjectRef, principal: string | undefined): Operation => ({
  aspect: 'owners',
  object,
  principal,
});

/** The statement, or how it is refused. */
function planned(operation: Operation, source?: SourceObject, options: PlanOptions = {}): string {
  const plan = planTrino(operation, source, options);
  return plan.ok ? plan.value.statements.join('\n') : `${plan.error.outcome} ${plan.error.failure.code}`;
}

const is = (kind: string, detail: object = {}): SourceObject => ({ exists: true, kind, detail });

describe('plans for Trino', () => {
  it.each([
    [describeAs(table, "it's"), is('table'), `COMMENT ON TABLE "lake"."app"."orders" IS 'it''s'`],
    [describeAs(table, 'x'), is('view'), `COMMENT ON VIEW "lake"."app"."orders" IS 'x'`],
    [describeAs(table, undefined), is('table'), `COMMENT ON TABLE "lake"."app"."orders" IS NULL`],
    [describeAs(table, ''), is('table'), `COMMENT ON TABLE "lake"."app"."orders" IS NULL`],
    [describeAs(table, 'x'), is('materialized view'), 'skipped materialized-view'],
    [describeAs(column, 'x'), is('view'), `COMMENT ON COLUMN "lake"."app"."orders"."note" IS 'x'`],
    [describeAs(column, 'x'), is('materialized view'), `COMMENT ON COLUMN "lake"."app"."orders"."note" IS 'x'`],
    [describeAs({ ...column, column: ['a', 'b'] }, 'x'), is('table'), 'skipped nested-column'],
    [describeAs(schema, 'x'), is('schema'), 'skipped no-schema-comments'],
    [describeAs(catalog, 'x'), is('catalog'), 'skipped no-catalog-comments'],
    [describeAs({ ...table, schema: 'information_schema' }, 'x'), is('table'), 'skipped system-object'],
    [describeAs({ ...table, database: 'system' }, 'x'), is('table'), 'skipped system-object'],
    [describeAs({ ...table, table: '' }, 'x'), is('table'), 'failed incomplete-object'],
    [describeAs(table, 'x'), is('view', { grantsAtStake: true }), 'skipped view-grants'],
    [describeAs(column, 'x'), is('view', { grantsAtStake: true }), 'skipped view-grants'],
    [
      giveTo(table, 'ada'),
      is('view', { grantsAtStake: true }),
      `ALTER VIEW "lake"."app"."orders" SET AUTHORIZATION USER "ada"`,
    ],
    [giveTo(table, 'ada'), is('table'), `ALTER TABLE "lake"."app"."orders" SET AUTHORIZATION USER "ada"`],
    [giveTo(schema, 'role:fi"n'), is('schema'), `ALTER SCHEMA "lake"."app" SET AUTHORIZATION ROLE "fi""n"`],
    [giveTo(table, undefined), is('table'), 'skipped owner-required'],
    [giveTo(table, 'role:'), is('table'), 'skipped owner-required'],
    [giveTo(table, 'ada'), is('materialized view'), 'skipped materialized-view-owner'],
    [giveTo(column, 'ada'), is('table'), 'skipped column-owner'],
    [giveTo(catalog, 'ada'), is('catalog'), 'skipped catalog-owner'],
    [
      { aspect: 'tags', object: table, desired: [], added: [], unset: [] } satisfies Operation,
      is('table'),
      'skipped no-tags',
    ],
  ])('%j on %j: %s', (operation, source, expected) => {
    expect(planned(operation, source)).toBe(expected);
  });

  it('takes the kind from the catalogue, with a note, when nobody has looked', () => {
    const view = planTrino(describeAs({ ...table, tableType: 'SecureView' }, 'x'), undefined, {});
    expect(view.ok && view.value.statements).toEqual([`COMMENT ON VIEW "lake"."app"."orders" IS 'x'`]);
    expect(view.ok && view.value.notes.join()).toContain('taken from the catalogue');
    expect(planned(describeAs({ ...table, tableType: 'MaterializedView' }, 'x'))).toBe('skipped materialized-view');
    expect(planned(giveTo(schema, 'ada'))).toContain('ALTER SCHEMA');
  });

  it('says that Hive and Iceberg make a view anew', () => {
    const notes = (source: SourceObject) => {
      const plan = planTrino(describeAs(column, 'x'), source, {});
      return plan.ok ? plan.value.notes.length : undefined;
    };
    expect(notes(is('view', { connector: 'hive' }))).toBe(1);
    expect(notes(is('materialized view', { connector: 'iceberg' }))).toBe(1);
    expect(notes(is('table', { connector: 'hive' }))).toBe(0);
    expect(notes(is('view', { connector: 'memory' }))).toBe(0);
  });

  it('skips what the catalog has said that it lacks, and nothing else', () => {
    const source = is('table', { connector: 'iceberg', lacks: ['owners table', 'owners schema role'] });
    expect(planned(giveTo(table, 'ada'), source)).toBe('skipped connector-lacks');
    expect(planned(describeAs(table, 'x'), source)).toContain('COMMENT');
    const ofSchema = is('schema', { lacks: ['owners table', 'owners schema role'] });
    expect(planned(giveTo(schema, 'ada'), ofSchema)).toContain('SET AUTHORIZATION USER');
    expect(planned(giveTo(schema, 'role:finance'), ofSchema)).toBe('skipped connector-lacks');
  });

  it.each([
    ['START TRANSACTION', 'failed template-transaction-control'],
    ['  /* x */ commit', 'failed template-transaction-control'],
    ['rollback', 'failed template-transaction-control'],
    ["INSERT INTO a SELECT * FROM TABLE(pg.system.query(query => 'SELECT ''x'''))", 'failed template-pass-through'],
    ['SELECT * FROM TABLE(pg . "system" . query /* x */ (query => \'x\'))', 'failed template-pass-through'],
    ["INSERT INTO meta.notes VALUES ('system.query(')", "INSERT INTO meta.notes VALUES ('system.query(')"],
    ["COMMENT ON TABLE a.b.c IS 'commit'", "COMMENT ON TABLE a.b.c IS 'commit'"],
  ])('template %j: %s', (statement, expected) => {
    expect(planned(describeAs(table, 'x'), is('table'), { template: [statement] })).toBe(expected);
  });
});

describe('principals', () => {
  it.each(['ada', 'role:finance', 'user:role:x', 'user:user:y', 'A b"c'])(
    '%j is written and read as the same',
    (text) => {
      expect(formatPrincipal(parsePrincipal(text))).toBe(text);
    },
  );

  it('reads the owner of a schema', () => {
    expect(ownerIn("CREATE SCHEMA a.b\nAUTHORIZATION USER ada\nWITH (\n   location = 'x'\n)")).toEqual({
      kind: 'USER',
      name: 'ada',
    });
    expect(ownerIn('CREATE SCHEMA a.b\nAUTHORIZATION ROLE "fi""n an"')).toEqual({ kind: 'ROLE', name: 'fi"n an' });
    expect(ownerIn('CREATE SCHEMA memory.app')).toBeUndefined();
  });
});
