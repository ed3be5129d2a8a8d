import { describe, expect, it } from 'vitest';
import type { ObjectRef, Operation } from '../../src/domain/operation.ts';
import type { PlanOptions, SourceObject } from '../contract.ts';
import { missingObject } from '../postgres-wire/missing.ts';
import { planPostgres } from './plan.ts';

const DATABASE: ObjectRef = { level: 'database', entityType: 'database', fqn: 'f', service: 's', database: 'shop' };
const SCHEMA: ObjectRef = { ...DATABASE, level: 'schema', entityType: 'databaseSchema', schema: 'App' };
const TABLE: ObjectRef = { ...SCHEMA, level: 'table', entityType: 'table', table: 'a"b' };
const COLUMN: ObjectRef = { ...TABLE, level: 'column', column: ['c d'] };

function of(kind: string): SourceObject {
  return { exists: true, kind };
}

function statement(operation: Operation, source: SourceObject | undefined, options: PlanOptions = {}): string {
  const planned = planPostgres(operation, source, options);
  return planned.ok ? planned.value.statements.join('; ') : `${planned.error.outcome}: ${planned.error.failure.code}`;
}

function description(object: ObjectRef, text: string | undefined): Operation {
  return { aspect: 'description', object, text };
}

describe('plan of PostgreSQL', () => {
  it.each([
    [DATABASE, 'database', `COMMENT ON DATABASE "shop" IS 'x'`],
    [SCHEMA, 'schema', `COMMENT ON SCHEMA "App" IS 'x'`],
    [TABLE, 'table', `COMMENT ON TABLE "App"."a""b" IS 'x'`],
    [TABLE, 'partitioned table', `COMMENT ON TABLE "App"."a""b" IS 'x'`],
    [TABLE, 'view', `COMMENT ON VIEW "App"."a""b" IS 'x'`],
    [TABLE, 'materialized view', `COMMENT ON MATERIALIZED VIEW "App"."a""b" IS 'x'`],
    [TABLE, 'foreign table', `COMMENT ON FOREIGN TABLE "App"."a""b" IS 'x'`],
    [COLUMN, 'view', `COMMENT ON COLUMN "App"."a""b"."c d" IS 'x'`],
  ])('describes %j as a %s', (object, kind, expected) => {
    expect(statement(description(object, 'x'), of(kind))).toBe(expected);
    expect(statement(description(object, undefined), of(kind))).toBe(expected.replace("'x'", 'NULL'));
    expect(statement(description(object, ''), of(kind))).toBe(expected.replace("'x'", 'NULL'));
  });

  it.each([
    [DATABASE, 'database', 'ALTER DATABASE "shop" OWNER TO "new ""one"""'],
    [SCHEMA, 'schema', 'ALTER SCHEMA "App" OWNER TO "new ""one"""'],
    [TABLE, 'materialized view', 'ALTER MATERIALIZED VIEW "App"."a""b" OWNER TO "new ""one"""'],
    [TABLE, 'foreign table', 'ALTER FOREIGN TABLE "App"."a""b" OWNER TO "new ""one"""'],
  ])('gives %j, a %s, to another role', (object, kind, expected) => {
    expect(statement({ aspect: 'owners', object, principal: 'new "one"' }, of(kind))).toBe(expected);
  });

  it('quotes so that both modes of plain literals read it right', () => {
    expect(statement(description(SCHEMA, "it's a \\ here"), of('schema'))).toBe(
      `COMMENT ON SCHEMA "App" IS E'it''s a \\\\ here'`,
    );
  });

  it("takes the catalogue's word for the kind when the source was not read, and says so", () => {
    const view = { ...TABLE, tableType: 'MaterializedView' };
    const planned = planPostgres(description(view, 'x'), undefined, {});
    expect(planned).toMatchObject({
      ok: true,
      value: {
        statements: [`COMMENT ON MATERIALIZED VIEW "App"."a""b" IS 'x'`],
        notes: [expect.stringContaining('catalogue')],
      },
    });
    expect(planPostgres(description(view, 'x'), of('view'), {})).toMatchObject({ value: { notes: [] } });
    expect(statement(description({ ...TABLE, tableType: 'Regular' }, 'x'), undefined)).toContain('ON TABLE');
    expect(planPostgres(description(COLUMN, 'x'), undefined, {})).toMatchObject({ value: { notes: [] } });
  });

  it('refuses what PostgreSQL does not have, as skipped', () => {
    const tags: Operation = { aspect: 'tags', object: TABLE, desired: [], added: [], unset: [] };
    expect(statement(tags, of('table'))).toBe('skipped: no-tags');
    expect(statement({ aspect: 'owners', object: COLUMN, principal: 'x' }, of('table'))).toBe('skipped: column-owner');
    expect(statement({ aspect: 'owners', object: TABLE, principal: undefined }, of('table'))).toBe(
      'skipped: owner-required',
    );
    expect(statement(description({ ...COLUMN, column: ['a', 'b'] }, 'x'), of('table'))).toBe('skipped: nested-column');
    expect(statement(description(TABLE, 'x'), of('sequence'))).toBe('skipped: kind-unsupported');
  });

  it('refuses what cannot be named or written, as failed', () => {
    expect(statement(description(TABLE, 'x'), missingObject('schema-missing'))).toBe('failed: schema-missing');
    expect(statement(description({ ...TABLE, table: 'x'.repeat(64) }, 'x'), of('table'))).toBe('failed: name-too-long');
    expect(statement(description({ ...TABLE, table: '' }, 'x'), of('table'))).toBe('failed: incomplete-object');
    expect(statement(description(TABLE, 'a\0'), of('table'))).toBe('failed: nul');
    expect(statement({ aspect: 'owners', object: TABLE, principal: 'é'.repeat(32) }, of('table'))).toBe(
      'failed: role-too-long',
    );
  });

  it('cuts at 64 KiB with a mark and a note, or refuses', () => {
    const long = 'é'.repeat(32_769);
    const planned = planPostgres(description(SCHEMA, long), of('schema'), {});
    if (!planned.ok) throw new Error(planned.error.failure.message);
    const { value = '', notes } = planned.value;
    expect(Buffer.byteLength(value)).toBeLessThanOrEqual(65_536);
    expect(value).toMatch(/^é+ … \[cut\]$/);
    expect(notes).toEqual([expect.stringContaining('65536')]);
    expect(statement(description(SCHEMA, long), of('schema'), { overlong: 'refuse' })).toBe(
      'failed: description-too-long',
    );
  });

  it('runs templates as they are, also for what PostgreSQL itself has not', () => {
    const template = ['INSERT INTO tags VALUES (1)'];
    const tags: Operation = { aspect: 'tags', object: TABLE, desired: [], added: [], unset: [] };
    expect(planPostgres(tags, undefined, { template })).toEqual({
      ok: true,
      value: { statements: template, notes: [] },
    });
    expect(planPostgres(description(TABLE, 'x'), undefined, { template })).toMatchObject({ value: { value: 'x' } });
    expect(statement(description(TABLE, 'x'), undefined, { template: ['SELECT 1;ROLLBACK'] })).toBe(
      'failed: template-transaction-control',
    );
  });
});
