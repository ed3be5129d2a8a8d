import { describe, expect, it } from 'vitest';
import type { ObjectRef, Operation } from '../../src/domain/operation.ts';
import type { PlanOptions, SourceObject } from '../contract.ts';
import { missingObject } from './missing.ts';
import { planMssql } from './plan.ts';

const DATABASE: ObjectRef = { level: 'database', entityType: 'database', fqn: 'f', service: 's', database: 'sh]op' };
const SCHEMA: ObjectRef = { ...DATABASE, level: 'schema', entityType: 'databaseSchema', schema: "a'pp" };
const TABLE: ObjectRef = { ...SCHEMA, level: 'table', entityType: 'table', table: 'a]b' };
const COLUMN: ObjectRef = { ...TABLE, level: 'column', column: ['c d'] };

function of(kind: string, properties: readonly string[] = [], permissions = 0): SourceObject {
  return { exists: true, kind, tags: [], detail: { properties, permissions, mayDropPermissions: false } };
}

function statement(operation: Operation, source: SourceObject | undefined, options: PlanOptions = {}): string {
  const planned = planMssql(operation, source, options);
  return planned.ok ? planned.value.statements.join('; ') : `${planned.error.outcome}: ${planned.error.failure.code}`;
}

function description(object: ObjectRef, text: string | undefined, previous?: string): Operation {
  return { aspect: 'description', object, text, ...(previous === undefined ? {} : { previous }) };
}

const S = ", @level0type = N'SCHEMA', @level0name = N'a''pp'";
const T = `${S}, @level1type = N'TABLE', @level1name = N'a]b'`;
const V = `${S}, @level1type = N'VIEW', @level1name = N'a]b'`;

describe('plan of SQL Server', () => {
  it.each([
    [DATABASE, 'database', ''],
    [SCHEMA, 'schema', S],
    [TABLE, 'table', T],
    [TABLE, 'view', V],
    [COLUMN, 'table', `${T}, @level2type = N'COLUMN', @level2name = N'c d'`],
  ])('describes %j as a %s', (object, kind, levels) => {
    const run = (verb: string, value: string) =>
      `EXEC sys.sp_${verb}extendedproperty @name = N'MS_Description'${value}${levels}`;
    const there = of(kind, ['MS_Description']);
    expect(statement(description(object, 'x'), of(kind))).toBe(run('add', ", @value = N'x'"));
    expect(statement(description(object, 'x'), there)).toBe(run('update', ", @value = N'x'"));
    expect(statement(description(object, undefined), there)).toBe(run('drop', ''));
    expect(statement(description(object, ''), there)).toBe(run('drop', ''));
    expect(statement(description(object, undefined), of(kind))).toBe('');
  });

  it("takes the catalogue's word when the source was not read, and says so", () => {
    expect(statement(description(TABLE, 'x'), undefined)).toContain('sp_addextendedproperty');
    expect(statement(description(TABLE, 'x', 'before'), undefined)).toContain('sp_updateextendedproperty');
    const planned = planMssql(description({ ...TABLE, tableType: 'View' }, 'x'), undefined, {});
    expect(planned).toMatchObject({ value: { statements: [expect.stringContaining(V)], notes: [expect.any(String)] } });
  });

  it.each([
    ['a\\', "N'a\\\\\r\n'"],
    ['a\\\nb', "N'a\\\\\r\n\nb'"],
    ['\r\nb', "N'\\\r\n\r\nb'"],
    ['a\\b', "N'a\\b'"],
  ])('shows %j so that no line continuation takes a part of it', (text, literal) => {
    expect(statement(description(SCHEMA, text), of('schema'))).toContain(`@value = ${literal}, @level0type`);
  });

  it.each([
    [DATABASE, 'database', 'DATABASE::[sh]]op]'],
    [SCHEMA, 'schema', "SCHEMA::[a'pp]"],
    [TABLE, 'view', "OBJECT::[a'pp].[a]]b]"],
  ])('gives %j, a %s, away', (object, kind, address) => {
    expect(statement({ aspect: 'owners', object, principal: 'n]w' }, of(kind))).toBe(
      `ALTER AUTHORIZATION ON ${address} TO [n]]w]`,
    );
  });

  it('gives a table back to its schema', () => {
    expect(statement({ aspect: 'owners', object: TABLE, principal: undefined }, of('table'))).toBe(
      "ALTER AUTHORIZATION ON OBJECT::[a'pp].[a]]b] TO SCHEMA OWNER",
    );
  });

  it('writes a tag as a property under its own naming rule', () => {
    const tags: Operation = {
      aspect: 'tags',
      object: SCHEMA,
      desired: [{ key: 'Tier', value: '1' }],
      added: [],
      unset: [{ key: 'PII', value: 'x' }],
    };
    const source = { ...of('schema', ['tag:PII']), tags: [{ key: 'PII', value: 'x' }] };
    expect(statement(tags, source)).toBe(
      `EXEC sys.sp_dropextendedproperty @name = N'tag:PII'${S}; EXEC sys.sp_addextendedproperty @name = N'tag:Tier', @value = N'1'${S}`,
    );
    const already = { ...of('schema', ['tag:Tier']), tags: [{ key: 'Tier', value: '1' }] };
    expect(statement({ ...tags, unset: [] }, already)).toBe('');
  });

  it('refuses what SQL Server does not have, as skipped', () => {
    expect(statement({ aspect: 'owners', object: COLUMN, principal: 'x' }, of('table'))).toBe('skipped: column-owner');
    expect(statement({ aspect: 'owners', object: SCHEMA, principal: undefined }, of('schema'))).toBe(
      'skipped: owner-required',
    );
    expect(statement({ aspect: 'owners', object: TABLE, principal: 'x' }, of('table', [], 2))).toBe(
      'skipped: owner-drops-permissions',
    );
    expect(statement(description({ ...COLUMN, column: ['a', 'b'] }, 'x'), of('table'))).toBe('skipped: nested-column');
    expect(statement(description(TABLE, 'x'), of('external table'))).toBe('skipped: kind-unsupported');
  });

  it('refuses what cannot be named or written, as failed', () => {
    expect(statement(description(TABLE, 'x'), missingObject('schema-missing'))).toBe('failed: schema-missing');
    expect(statement(description({ ...TABLE, table: '😀'.repeat(65) }, 'x'), of('table'))).toBe(
      'failed: name-too-long',
    );
    expect(statement(description({ ...TABLE, table: '' }, 'x'), of('table'))).toBe('failed: incomplete-object');
    expect(statement(description(TABLE, 'a\0'), of('table'))).toBe('failed: nul');
    expect(statement({ aspect: 'owners', object: TABLE, principal: 'x'.repeat(129) }, of('table'))).toBe(
      'failed: principal-too-long',
    );
    expect(statement(description(TABLE, 'x'.repeat(3751)), of('table'), { overlong: 'refuse' })).toBe(
      'failed: description-too-long',
    );
  });
});
