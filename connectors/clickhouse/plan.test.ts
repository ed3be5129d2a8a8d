import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { ObjectRef, Operation } from '../../src/domain/operation.ts';
import { compileTemplate } from '../../src/template/compile.ts';
import { clickhouseDialect } from '../dialect/clickhouse-dialect.ts';
import { applicationName, traced } from './client.ts';
import type { ClickhouseDetail } from './detail.ts';
import { planClause, planClickhouse } from './plan.ts';

const table: ObjectRef = {
  level: 'table',
  entityType: 'table',
  fqn: 'click.default.shop.orders',
  service: 'click',
  database: 'default',
  schema: 'shop',
  table: 'orders',
};
const column: ObjectRef = { ...table, level: 'column', column: ['item', 'price'] };
const schema: ObjectRef = { ...table, level: 'schema', entityType: 'databaseSchema' };

function describing(object: ObjectRef) {
  return { aspect: 'description', object, text: 'x' } as const;
}

function planned(object: ObjectRef, detail?: ClickhouseDetail, kind = 'table') {
  const result = planClickhouse(
    describing(object),
    detail === undefined ? undefined : { exists: true, kind, detail },
    {},
  );
  return result.ok ? result.value : result.error.failure.code;
}

const replicated: ClickhouseDetail = { databaseEngine: 'Atomic', engine: 'ReplicatedMergeTree' };

describe('the plan', () => {
  it('names schema, table and column, nested ones included; the database is only a name', () => {
    expect(planned(schema)).toMatchObject({ statements: ["ALTER DATABASE `shop` MODIFY COMMENT 'x'"], value: 'x' });
    expect(planned(table)).toMatchObject({ statements: ["ALTER TABLE `shop`.`orders` MODIFY COMMENT 'x'"] });
    expect(planned(column)).toMatchObject({
      statements: ["ALTER TABLE `shop`.`orders` COMMENT COLUMN `item.price` 'x'"],
    });
    expect(planned({ ...table, level: 'database', entityType: 'database' })).toBe('no-target');
  });

  it('clears with an empty comment', () => {
    expect(planClickhouse({ ...describing(table), text: undefined }, undefined, {})).toEqual({
      ok: true,
      value: { statements: ["ALTER TABLE `shop`.`orders` MODIFY COMMENT ''"], notes: [] },
    });
  });

  it.each([
    ['a table', table, { databaseEngine: 'Atomic', cluster: 'all' }, true],
    ['a column', column, { databaseEngine: 'Atomic', cluster: 'all' }, true],
    ['a database', schema, { databaseEngine: 'Atomic', cluster: 'all' }, true],
    ['a table of a Replicated database', table, { databaseEngine: 'Replicated', cluster: 'all' }, false],
    ['the comment of a Replicated database itself', schema, { databaseEngine: 'Replicated', cluster: 'all' }, true],
    ['a table in ClickHouse Cloud', table, { databaseEngine: 'Shared', cluster: 'default' }, false],
    ['a database in ClickHouse Cloud', schema, { databaseEngine: 'Shared', cluster: 'default' }, false],
    ['a table without a cluster', table, replicated, false],
  ])('runs ON CLUSTER where that is right: %s', (_, object, detail, expected) => {
    const plan = planned(object, detail);
    expect(typeof plan === 'string' ? plan : plan.statements[0]?.includes(' ON CLUSTER `')).toBe(expected);
  });

  it('keeps the comment of a replicated table apart from those of its columns', () => {
    const kinds = [
      { databaseEngine: 'Atomic', engine: 'MergeTree' },
      replicated,
      { ...replicated, cluster: 'all' },
    ].map((detail) =>
      [table, column].map((object) => {
        const clause = planClause(describing(object), { exists: true, kind: 'table', detail }, {});
        return clause.ok ? clause.value.kind : clause.error.failure.code;
      }),
    );
    expect(kinds).toEqual([
      ['table or column', 'table or column'],
      ['table', 'column'],
      ['table', 'column'],
    ]);
  });

  it('says that only one replica gets the comment of a table, where that is so', () => {
    expect(planned(table, replicated)).toMatchObject({ notes: [expect.stringContaining('backflow.cluster')] });
    expect(planned(column, replicated)).toMatchObject({ notes: [] });
    expect(planned(table, { ...replicated, databaseEngine: 'Replicated' })).toMatchObject({ notes: [] });
    expect(planned(table, { ...replicated, cluster: 'all' })).toMatchObject({ notes: [] });
  });

  it('refuses columns that would lose their comments', () => {
    const inner = { databaseEngine: 'Atomic', engine: 'MaterializedView', storesItself: true };
    expect(planned(column, inner, 'materialized view')).toBe('materialized-view-column');
    expect(planned(column, { ...inner, storesItself: false }, 'materialized view')).toMatchObject({ notes: [] });
    expect(planned({ ...column, tableType: 'MaterializedView' })).toMatchObject({
      notes: [expect.stringContaining('writes TO')],
    });
    expect(planned(column, { engine: 'Dictionary' }, 'dictionary')).toBe('dictionary-column');
  });

  it.each([
    [{ ...table, table: '.inner_id.7c1d3a5e-0000-4000-8000-000000000000' }, 'inner-table'],
    [{ ...table, table: '.inner.view' }, 'inner-table'],
    [{ ...table, schema: 'system' }, 'system-object'],
    [{ ...table, schema: 'INFORMATION_SCHEMA' }, 'system-object'],
    [{ ...table, table: '' }, 'incomplete-object'],
    [{ ...column, column: [] }, 'incomplete-object'],
  ])('refuses what cannot be described', (object, code) => {
    expect(planned(object)).toBe(code);
  });

  it('has no tags and no owners', () => {
    const operations: readonly Operation[] = [
      { aspect: 'tags', object: table, desired: [], added: [], unset: [] },
      { aspect: 'owners', object: table, principal: 'x' },
    ];
    for (const operation of operations) {
      expect(planClickhouse(operation, undefined, {})).toMatchObject({ ok: false, error: { outcome: 'skipped' } });
    }
  });

  it('takes no template whose data is read by other rules than SQL', () => {
    const code = (template: string) => {
      const result = planClickhouse(describing(table), undefined, { template: [template] });
      return result.ok ? 'planned' : result.error.failure.code;
    };
    expect(code(`INSERT INTO t FORMAT CSV "x"`)).toBe('template-formatted-data');
    expect(code(`insert into t (a) -- c\n format JSONEachRow {"a": "x"}`)).toBe('template-formatted-data');
    expect(code(`INSERT INTO t VALUES ('FORMAT')`)).toBe('planned');
    expect(code(`SELECT 1 FORMAT Null`)).toBe('planned');
  });
});

describe('what stands in the query log', () => {
  it('is the lane and its epoch, in printable ASCII', () => {
    expect(applicationName({ lane: 'click 1/ü', epoch: 12 })).toBe('backflow/click_1__/12');
    expect(applicationName({ lane: 'x'.repeat(500), epoch: 1 })).toHaveLength(111);
  });

  it('is the trace of the change, when it is well-formed', () => {
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    expect(traced('ALTER', traceparent)).toBe(`ALTER /*traceparent='${traceparent}'*/`);
    expect(traced('ALTER', "x'*/ DROP")).toBe('ALTER');
    expect(traced('ALTER', undefined)).toBe('ALTER');
  });
});

describe('the templates of the README', () => {
  const readme = readFileSync(new URL('./README.md', import.meta.url), 'utf8');
  const templates = [
    ...[...readme.matchAll(/^ {4}template: "(.*)"$/gm)],
    ...[...readme.matchAll(/^\| [^|]*(?:description|tags|owner)[^|]* \| `([^`]*\{[^`]*)` *\|$/gm)],
  ].flatMap(([, template]) => template ?? []);

  it('are found', () => {
    expect(templates).toHaveLength(6);
  });

  it.each(templates)('compile: %s', (template) => {
    expect(compileTemplate(template, clickhouseDialect)).toMatchObject({ ok: true });
  });
});
