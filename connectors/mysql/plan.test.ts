import { describe, expect, it } from 'vitest';
import type { DescriptionOperation, ObjectRef, Operation } from '../../src/domain/operation.ts';
import type { SourceObject } from '../contract.ts';
import { ColumnDetail, type MysqlDetail } from './detail.ts';
import { planClause, planMysql } from './plan.ts';
import { parseServer } from './server.ts';

const MARIADB = parseServer('10.11.19-MariaDB');
const MYSQL = parseServer('8.0.36');

function ref(level: ObjectRef['level'], column = ['c']): ObjectRef {
  const base = { level, fqn: 'x', service: 'm', database: 'default' };
  if (level === 'database') return { ...base, entityType: 'database' };
  if (level === 'schema') return { ...base, entityType: 'databaseSchema', schema: 's' };
  const table: ObjectRef = { ...base, entityType: 'table', schema: 's', table: 't`t' };
  return level === 'table' ? table : { ...table, column };
}

const describeAs = (object: ObjectRef, text: string | undefined): Operation => ({
  aspect: 'description',
  object,
  text,
});

function source(detail: Partial<MysqlDetail> = {}, kind = 'table'): SourceObject {
  return { exists: true, kind, detail: { server: MARIADB, ...detail } };
}

describe('plans', () => {
  it.each([
    [
      'a table',
      ref('table'),
      source(),
      "it's \\ 1",
      "ALTER TABLE `s`.`t``t` COMMENT 'it''s \\\\ 1', ALGORITHM=INSTANT",
    ],
    ['a cleared table', ref('table'), source(), undefined, "ALTER TABLE `s`.`t``t` COMMENT '', ALGORITHM=INSTANT"],
    ['a schema', ref('schema'), source({}, 'database'), 'x', "ALTER DATABASE `s` COMMENT 'x'"],
    [
      'a column',
      ref('column'),
      source({ definition: "`c` int NOT NULL COMMENT 'old' CHECK (`c` > 0)" }),
      'x',
      "ALTER TABLE `s`.`t``t` MODIFY COLUMN `c` int NOT NULL COMMENT 'x' CHECK (`c` > 0), ALGORITHM=INSTANT",
    ],
    [
      'a JSON column of MariaDB',
      ref('column'),
      source({
        definition: '`c` longtext CHARACTER SET utf8mb4 COLLATE utf8mb4_bin DEFAULT NULL CHECK (json_valid(`c`))',
      }),
      'x',
      "ALTER TABLE `s`.`t``t` MODIFY COLUMN `c` json DEFAULT NULL COMMENT 'x', ALGORITHM=INSTANT",
    ],
  ])('%s', (_, object, found, text, statement) => {
    const plan = planMysql(describeAs(object, text), found, {});
    expect(plan).toEqual({
      ok: true,
      value: { statements: [statement], notes: [], ...(text === undefined ? {} : { value: text }) },
    });
  });

  it('shows a gap for the definition while there is no connection', () => {
    const plan = planMysql(describeAs(ref('column'), 'x'), undefined, {});
    expect(plan).toMatchObject({
      ok: true,
      value: {
        statements: ["ALTER TABLE `s`.`t``t` MODIFY COLUMN `c` /* definition */ COMMENT 'x', ALGORITHM=INSTANT"],
        notes: [expect.stringContaining('definition')],
      },
    });
  });

  it('says what a comment cannot hold', () => {
    const emoji = planMysql(describeAs(ref('table'), 'a😀b'), source(), {});
    expect(emoji).toMatchObject({ ok: true, value: { value: 'a\ufffdb', notes: [expect.stringContaining('U+FFFF')] } });
    const long = planMysql(describeAs(ref('table'), 'é'.repeat(2049)), source(), {});
    expect(long).toMatchObject({ ok: true, value: { notes: [expect.stringContaining('cut')] } });
    const lines = planMysql(describeAs(ref('schema'), 'a\r\nb\nя'), source({}, 'database'), {});
    expect(lines).toMatchObject({ ok: true, value: { value: 'a b я.' } });
  });
});

describe('planning again', () => {
  const operation: DescriptionOperation = { aspect: 'description', object: ref('column'), text: "it's" };
  const planned = (from: SourceObject, overlong?: 'cut' | 'refuse') =>
    planClause(operation, from, overlong === undefined ? {} : { overlong });

  it('gives the same clause from the same state, and another one from any other', () => {
    const first: SourceObject = { ...source(), detail: new ColumnDetail(MARIADB, '`c` int', 'latin1') };
    const clause = planned(first);
    expect(clause).toMatchObject({ ok: true, value: { text: "MODIFY COLUMN `c` int COMMENT 'it''s'" } });
    expect(planned({ ...first, description: 'x' })).toBe(clause);
    const another = { ...operation, text: 'other' };
    expect(planClause(another, first, {})).toMatchObject({ value: { text: "MODIFY COLUMN `c` int COMMENT 'other'" } });
    expect(planned(first)).toEqual(clause);
    const other: SourceObject = { ...first, detail: new ColumnDetail(MARIADB, '`c` bigint', 'latin1') };
    expect(planned(other)).toMatchObject({ ok: true, value: { text: "MODIFY COLUMN `c` bigint COMMENT 'it''s'" } });
    expect(planned({ ...other, kind: 'view' })).toMatchObject({ ok: false, error: { failure: { code: 'view' } } });
    expect(planned({ ...other, exists: false })).toMatchObject({ ok: false, error: { outcome: 'failed' } });
    expect(planned(first)).toEqual(clause);
    expect(planClause(operation, undefined, {})).toMatchObject({
      ok: true,
      value: { text: expect.stringContaining('definition') },
    });
  });

  it('does not take a text that was cut for one that is to be refused', () => {
    const long = { ...operation, text: 'x'.repeat(1_025) };
    const from: SourceObject = { ...source(), detail: new ColumnDetail(MARIADB, '`c` int', undefined) };
    expect(planClause(long, from, { overlong: 'cut' }).ok).toBe(true);
    expect(planClause(long, from, { overlong: 'refuse' })).toMatchObject({
      ok: false,
      error: { failure: { code: 'description-too-long' } },
    });
  });
});

describe('refusals', () => {
  const tags: Operation = { aspect: 'tags', object: ref('table'), desired: [], added: [], unset: [] };
  const owner: Operation = { aspect: 'owners', object: ref('table'), principal: 'x' };
  it.each([
    ['tags', tags, source(), 'unsupported', 'no-tags'],
    ['owners', owner, source(), 'unsupported', 'no-owners'],
    ["OpenMetadata's database", describeAs(ref('database'), 'x'), source(), 'unsupported', 'no-target'],
    [
      'schemas on MySQL',
      describeAs(ref('schema'), 'x'),
      source({ server: MYSQL }, 'database'),
      'unsupported',
      'no-schema-comments',
    ],
    ['nested columns', describeAs(ref('column', ['a', 'b']), 'x'), source(), 'unsupported', 'nested-column'],
    ['views', describeAs(ref('table'), 'x'), source({}, 'view'), 'unsupported', 'view'],
    ['columns of views', describeAs(ref('column'), 'x'), source({}, 'view'), 'unsupported', 'view'],
    ['sequences', describeAs(ref('table'), 'x'), source({}, 'sequence'), 'unsupported', 'kind-unsupported'],
    [
      'columns of system-versioned tables',
      describeAs(ref('column'), 'x'),
      source({ definition: '`c` int' }, 'system versioned table'),
      'unsupported',
      'system-versioned',
    ],
    [
      'a definition that is not shown whole',
      describeAs(ref('column'), 'x'),
      source({ definition: "`c` varchar(9) DEFAULT '?'" }),
      'unsupported',
      'definition-not-faithful',
    ],
    [
      'a definition that may not be seen',
      describeAs(ref('column'), 'x'),
      source(),
      'permission',
      'definition-not-visible',
    ],
    ['NUL', describeAs(ref('table'), 'a\0'), source(), 'invalid', 'nul'],
    [
      'what is gone',
      describeAs(ref('column'), 'x'),
      { exists: false, detail: { server: MARIADB, missing: 'column' } },
      'not_found',
      'column-missing',
    ],
  ] as const)('%s', (_, operation, found, failureClass, code) => {
    const plan = planMysql(operation, found, {});
    const outcome = failureClass === 'unsupported' ? 'skipped' : 'failed';
    expect(plan).toMatchObject({
      ok: false,
      error: { outcome, failure: { class: failureClass, scope: 'object', code } },
    });
  });

  it('takes the word of the catalogue for a view while there is no connection', () => {
    const plan = planMysql(describeAs({ ...ref('table'), tableType: 'View' }, 'x'), undefined, {});
    expect(plan).toMatchObject({ ok: false, error: { failure: { code: 'view' } } });
  });
});

describe('templates', () => {
  it('take the place of the plan, for tags as well', () => {
    const template = ['INSERT INTO docs VALUES (1)'];
    const tags: Operation = { aspect: 'tags', object: ref('table'), desired: [], added: [], unset: [] };
    expect(planMysql(tags, source(), { template })).toEqual({ ok: true, value: { statements: template, notes: [] } });
  });
});
