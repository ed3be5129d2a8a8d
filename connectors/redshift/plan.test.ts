import { describe, expect, it } from 'vitest';
import type { ObjectRef, Operation } from '../../src/domain/operation.ts';
import type { PlanOptions, SourceObject } from '../contract.ts';
import { missingObject } from '../postgres-wire/missing.ts';
import { planRedshift } from './plan.ts';

const DATABASE: ObjectRef = {
  level: 'database',
  entityType: 'database',
  fqn: 'rs.shop',
  service: 'rs',
  database: 'shop',
};
const SCHEMA: ObjectRef = { ...DATABASE, level: 'schema', entityType: 'databaseSchema', schema: 'App' };
const TABLE: ObjectRef = { ...SCHEMA, level: 'table', entityType: 'table', table: 'a"b' };
const COLUMN: ObjectRef = { ...TABLE, level: 'column', column: ['c d'] };

const of = (kind: string): SourceObject => ({ exists: true, kind });
const description = (object: ObjectRef, text: string | undefined): Operation => ({
  aspect: 'description',
  object,
  text,
});
const owner = (object: ObjectRef, principal: string | undefined): Operation => ({
  aspect: 'owners',
  object,
  principal,
});

function statement(operation: Operation, source: SourceObject | undefined, options: PlanOptions = {}): string {
  const planned = planRedshift(operation, source, options);
  return planned.ok ? planned.value.statements.join('; ') : `${planned.error.outcome}: ${planned.error.failure.code}`;
}

describe('plan of Redshift', () => {
  it.each([
    [DATABASE, 'database', `COMMENT ON DATABASE "shop" IS 'x'`],
    [SCHEMA, 'schema', `COMMENT ON SCHEMA "App" IS 'x'`],
    [TABLE, 'table', `COMMENT ON TABLE "App"."a""b" IS 'x'`],
    [TABLE, 'view', `COMMENT ON VIEW "App"."a""b" IS 'x'`],
    [TABLE, 'late-binding view', `COMMENT ON VIEW "App"."a""b" IS 'x'`],
    [TABLE, 'materialized view', `COMMENT ON VIEW "App"."a""b" IS 'x'`],
    [COLUMN, 'table', `COMMENT ON COLUMN "App"."a""b"."c d" IS 'x'`],
    [COLUMN, 'materialized view', `COMMENT ON COLUMN "App"."a""b"."c d" IS 'x'`],
  ])('describes %j as a %s', (object, kind, expected) => {
    expect(statement(description(object, 'x'), of(kind))).toBe(expected);
    expect(statement(description(object, undefined), of(kind))).toBe(expected.replace("'x'", 'NULL'));
    expect(statement(description(object, ''), of(kind))).toBe(expected.replace("'x'", 'NULL'));
  });

  it.each([
    [DATABASE, 'database', 'ALTER DATABASE "shop" OWNER TO "new ""one"""'],
    [SCHEMA, 'schema', 'ALTER SCHEMA "App" OWNER TO "new ""one"""'],
    [TABLE, 'table', 'ALTER TABLE "App"."a""b" OWNER TO "new ""one"""'],
    [TABLE, 'view', 'ALTER TABLE "App"."a""b" OWNER TO "new ""one"""'],
    [TABLE, 'late-binding view', 'ALTER TABLE "App"."a""b" OWNER TO "new ""one"""'],
  ])('gives %j, a %s, to another user', (object, kind, expected) => {
    expect(statement(owner(object, 'new "one"'), of(kind))).toBe(expected);
  });

  it.each([
    ["it's", "'it''s'"],
    ['a\\', '$bf$a\\$bf$'],
    ["\\' $$ $tag$", "$bf$\\' $$ $tag$$bf$"],
    ['\\$bf$', '$bf1$\\$bf$$bf1$'],
    // Its last characters and the tag would make an early end.
    ['\\$bf', '$bf1$\\$bf$bf1$'],
    ['\\$bf$bf1$bf2', '$bf3$\\$bf$bf1$bf2$bf3$'],
  ])('writes %j as %s, which no server reads in two ways', (text, literal) => {
    expect(statement(description(SCHEMA, text), of('schema'))).toBe(`COMMENT ON SCHEMA "App" IS ${literal}`);
  });

  it('skips what lies outside of the cluster, and what Redshift cannot do, each with a reason', () => {
    expect(statement(description(TABLE, 'x'), of('external table'))).toBe('skipped: external-object');
    expect(statement(description(COLUMN, 'x'), of('external table'))).toBe('skipped: external-object');
    expect(statement(owner(TABLE, 'x'), of('external table'))).toBe('skipped: external-object');
    expect(statement(description(SCHEMA, 'x'), of('external schema'))).toBe('skipped: external-object');
    expect(statement(description(TABLE, 'x'), missingObject('database-shared'))).toBe('skipped: database-shared');
    expect(statement(description(COLUMN, 'x'), of('late-binding view'))).toBe('skipped: late-binding-column');
    expect(statement(owner(TABLE, 'x'), of('materialized view'))).toBe('skipped: materialized-view-owner');
    expect(statement(owner(COLUMN, 'x'), of('table'))).toBe('skipped: column-owner');
    expect(statement(owner(TABLE, undefined), of('table'))).toBe('skipped: owner-required');
    expect(statement(description(TABLE, 'x'), of('sequence'))).toBe('skipped: kind-unsupported');
    const tags: Operation = { aspect: 'tags', object: TABLE, desired: [], added: [], unset: [] };
    expect(statement(tags, of('table'))).toBe('skipped: no-tags');
  });

  it("takes the catalogue's word for the kind when the source was not read, and says so", () => {
    const hinted = (tableType: string) => description({ ...TABLE, tableType }, 'x');
    const note = expect.stringContaining('catalogue');
    const planned = planRedshift(hinted('MaterializedView'), undefined, {});
    expect(planned).toMatchObject({
      value: { statements: [`COMMENT ON VIEW "App"."a""b" IS 'x'`], notes: [note] },
    });
    expect(statement(hinted('Regular'), undefined)).toContain('ON TABLE');
    expect(statement(hinted('External'), undefined)).toBe('skipped: external-object');
    expect(planRedshift(hinted('View'), of('view'), {})).toMatchObject({ value: { notes: [] } });
  });

  it('refuses what cannot be named or written, as failed', () => {
    expect(statement(description(TABLE, 'x'), missingObject('schema-missing'))).toBe('failed: schema-missing');
    const long = (bytes: number) => description({ ...TABLE, table: 'é'.repeat(bytes / 2) }, 'x');
    expect(statement(long(126), of('table'))).toContain('COMMENT ON');
    expect(statement(long(128), of('table'))).toBe('failed: name-too-long');
    expect(statement(description(TABLE, 'a\0'), of('table'))).toBe('failed: nul');
    expect(statement(owner(TABLE, 'é'.repeat(64)), of('table'))).toBe('failed: user-too-long');
    expect(statement(description(SCHEMA, 'x'.repeat(65_536)), of('schema'), { overlong: 'refuse' })).toBe(
      'failed: description-too-long',
    );
  });

  it('runs templates as they are, but keeps their transaction closed', () => {
    const template = ['INSERT INTO tags VALUES (1)'];
    expect(statement(description(TABLE, 'x'), undefined, { template })).toBe(template[0]);
    expect(statement(description(TABLE, 'x'), undefined, { template: ['SELECT $$;$$; COMMIT'] })).toBe(
      'failed: template-transaction-control',
    );
  });
});
