import { describe, expect, it } from 'vitest';
import type { Dialect } from '../../connectors/dialect/dialect.ts';
import { mysqlDialect } from '../../connectors/dialect/mysql-dialect.ts';
import { postgresDialect } from '../../connectors/dialect/postgres-dialect.ts';
import { ok } from '../domain/result.ts';
import { compileTemplate } from './compile.ts';
import type { CompiledTemplate, TemplateValues } from './template.ts';

const VALUES: TemplateValues = {
  database: 'shop',
  schema: 'public',
  table: 'or"ders',
  column: 'id',
  description: "it's \\ new",
  owner: 'role-1',
  tag_key: 'PII',
  tag_value: 'Sens`itive',
  data_type: "enum('a')",
  service: 'pg sales',
};

function compiled(source: string, dialect: Dialect = postgresDialect): CompiledTemplate {
  const template = compileTemplate(source, dialect);
  if (!template.ok) throw new Error(template.error.map((error) => error.message).join('; '));
  return template.value;
}

function rendered(
  source: string,
  values: TemplateValues = VALUES,
  dialect: Dialect = postgresDialect,
): readonly string[] {
  const statements = compiled(source, dialect).render(values);
  if (!statements.ok) throw new Error(statements.error.message);
  return statements.value;
}

function errors(source: string, dialect: Dialect = postgresDialect) {
  const template = compileTemplate(source, dialect);
  return template.ok ? [] : template.error;
}

describe('render for PostgreSQL', () => {
  it.each([
    [
      'ALTER DATABASE "{database}" SET COMMENT = {description}',
      `ALTER DATABASE "shop" SET COMMENT = E'it''s \\\\ new'`,
    ],
    ['ALTER DATABASE {catalog} OWNER TO {owner}', 'ALTER DATABASE "shop" OWNER TO "role-1"'],
    [
      "COMMENT ON TABLE {schema}.{table} IS'{description}'",
      `COMMENT ON TABLE "public"."or""ders" IS E'it''s \\\\ new'`,
    ],
    [`SELECT '{schema}.{table}', "pre_{table}"`, `SELECT 'public.or"ders', "pre_or""ders"`],
    ["SELECT E'\\t{description}', $a$<{service}>$a$", "SELECT E'\\tit''s \\\\ new', '<pg sales>'"],
    ["SELECT N'{service}', N{description}", "SELECT N'pg sales', nchar E'it''s \\\\ new'"],
    ["SELECT '{{}}{{{service}}}'", "SELECT '{}{pg sales}'"],
    ["SELECT '{data_type}'", "SELECT 'enum(''a'')'"],
    ['SELECT U&$${description}$$', "SELECT U& E'it''s \\\\ new'"],
  ])('%s', (source, sql) => {
    expect(rendered(source)).toEqual([sql]);
  });

  it('splits statements at semicolons and drops a trailing one', () => {
    expect(rendered("SELECT {service} ; -- done\n SELECT ';{service}';\n")).toEqual([
      "SELECT 'pg sales'",
      "-- done\n SELECT ';pg sales'",
    ]);
  });

  it('clears to NULL after IS, and to the empty literal elsewhere', () => {
    const { description: _, ...cleared } = VALUES;
    expect(rendered('COMMENT ON TABLE t IS {description}', cleared)).toEqual(['COMMENT ON TABLE t IS NULL']);
    expect(rendered('COMMENT ON TABLE t is /* now */ {description}', cleared)).toEqual([
      'COMMENT ON TABLE t is /* now */ NULL',
    ]);
    expect(rendered("SELECT set_comment({description}, '<{description}>')", cleared)).toEqual([
      "SELECT set_comment('', '<>')",
    ]);
  });

  it('counts the length of a name over the whole identifier', () => {
    const template = compiled('SELECT 1 AS x,\n  2 AS "pre_{table}"');
    expect(template.render({ ...VALUES, table: 'x'.repeat(59) })).toMatchObject({ ok: true });
    expect(template.render({ ...VALUES, table: 'x'.repeat(60) })).toMatchObject({
      ok: false,
      error: { line: 2, column: 13, message: expect.stringContaining('64 bytes') },
    });
  });

  it('says where a value is missing', () => {
    const { column: _, ...table } = VALUES;
    expect(compiled('COMMENT ON COLUMN\n {table}.{column} IS {description}').render(table)).toMatchObject({
      ok: false,
      error: { line: 2, column: 10, message: 'the change has no value for {column}' },
    });
  });
});

describe('render for MySQL', () => {
  it.each([
    [
      'ALTER TABLE {schema}.{table} COMMENT = {description}',
      "ALTER TABLE `public`.`or\"ders` COMMENT = 'it''s \\\\ new'",
    ],
    ['ALTER TABLE `{table}` COMMENT "{description} ""\\""', 'ALTER TABLE `or"ders` COMMENT "it\'s \\\\ new ""\\""'],
    ["SELECT '{tag_value}', `x_{tag_value}`", "SELECT 'Sens`itive', `x_Sens``itive`"],
    ["SELECT N{tag_value}, '\\n{tag_value}'", "SELECT N'Sens`itive', '\\nSens`itive'"],
  ])('%s', (source, sql) => {
    expect(rendered(source, VALUES, mysqlDialect)).toEqual([sql]);
  });

  it('clears to the empty literal', () => {
    const { description: _, ...cleared } = VALUES;
    expect(rendered('ALTER TABLE t COMMENT {description}', cleared, mysqlDialect)).toEqual([
      "ALTER TABLE t COMMENT ''",
    ]);
  });
});

describe('errors at load', () => {
  it('reports all unknown names at once, with a hint', () => {
    expect(errors('SELECT {tabel},\n  {descripton}, {Schema}')).toEqual([
      { line: 1, column: 8, message: 'there is no variable {tabel}', hint: 'did you mean {table}?' },
      { line: 2, column: 3, message: 'there is no variable {descripton}', hint: 'did you mean {description}?' },
      { line: 2, column: 17, message: 'there is no variable {Schema}', hint: 'did you mean {schema}?' },
    ]);
  });

  it('counts columns in characters', () => {
    expect(errors("SELECT '😀', {x")).toMatchObject([{ line: 1, column: 13 }]);
  });

  it.each<[source: string, column: number, message: RegExp, dialect?: Dialect]>([
    ['SELECT {', 8, /never closed/],
    ['SELECT }', 8, /closes nothing/],
    ['SELECT {}', 8, /names no variable/],
    ['SELECT {table!r}', 8, /no plain name/],
    ['SELECT { table }', 8, /no plain name/],
    ['SELECT {table:>10}', 8, /no plain name/],
    ['SELECT \0', 8, /NUL/],
    ['', 1, /no statement/],
    [' ; -- nothing', 1, /no statement/],
    ["SELECT 'abc", 8, /never closed/],
    ['SELECT 1 -- {table}', 13, /comment/],
    ['SELECT 1; /* {table} */', 14, /comment/],
    ['SELECT 1 /* /* */ {table} */', 19, /comment/],
    ['SELECT # {table}', 10, /comment/, mysqlDialect],
    ['SELECT /* /* {table} */', 14, /comment/, mysqlDialect],
    ["SELECT 1 /*!50606 , '*/ {table} -- '", 10, /may run/, mysqlDialect],
    ['SELECT pre_{table}', 12, /cannot touch/],
    ['SELECT {table}_x', 8, /cannot touch/],
    ['SELECT {schema}{table}', 8, /cannot touch/],
    ["SELECT ''{description}", 10, /cannot touch|in a row/],
    ['SELECT "a"{table}', 11, /cannot touch/],
    ["SELECT 'a' {description}", 12, /in a row/],
    ["SELECT {description} -- x\n '{service}'", 2, /in a row/],
    ["SELECT E'a'\n'b\\' , {description}, ' '", 1, /in a row/],
    ["SELECT X'{description}'", 10, /digits/],
    ['SELECT X{description}', 9, /digits/],
    ["SELECT U&'{description}'", 11, /Unicode/],
    ['SELECT U&{table}', 10, /Unicode/],
    ["SELECT E'\\{description}'", 11, /backslash/],
    ["SELECT E'\\x4{description}'", 13, /backslash/],
    ["SELECT '\\{description}'", 10, /backslash/, mysqlDialect],
    ['SELECT {data_type}', 8, /inside a string/],
    ['SELECT "{data_type}"', 9, /inside a string/],
    ['SELECT {tags}', 8, /no form for a list/],
    ["SELECT '{tags}'", 9, /inside quotes/],
    ['DO $$ BEGIN PERFORM {description}; END $$', 1, /DO.*run as code/],
    ["PREPARE s FROM 'SELECT {description}'", 1, /PREPARE.*run as code/, mysqlDialect],
    ['SELECT {owner}, {description}', 17, /never come in the same change/],
  ])('%s', (source, column, message, dialect) => {
    const found = errors(source, dialect);
    expect(found.find((error) => message.test(error.message))).toMatchObject({ column });
  });

  it('accepts what only looks like an open backslash sequence', () => {
    expect(rendered("SELECT E'\\\\{service}\\n{service}\\101{service}'")).toEqual([
      "SELECT E'\\\\pg sales\\npg sales\\101pg sales'",
    ]);
  });
});

describe('tags', () => {
  const withTags: Dialect = {
    ...postgresDialect,
    tagList: (tags) => ok(`(${tags.map((tag) => `'${tag.key}' = '${tag.value}'`).join(', ')})`),
  };

  it('become the list of the dialect', () => {
    const values = { ...VALUES, tags: [{ key: 'PII', value: 'None' }] };
    expect(rendered('ALTER TABLE {table} SET TAGS {tags}', values, withTags)).toEqual([
      `ALTER TABLE "or""ders" SET TAGS ('PII' = 'None')`,
    ]);
  });
});

describe('serves', () => {
  it.each([
    ['COMMENT ON COLUMN {schema}.{table}.{column} IS {description}', 'column', 'description'],
    ["SELECT '{schema}.{table}', {previous_description}", 'table', 'description'],
    ['ALTER SCHEMA {schema} OWNER TO {owner}', 'schema', 'owners'],
    ["ALTER DATABASE {catalog} SET {tag_key} = '{tag_value}'", 'database', 'tags'],
    ['SELECT {service}', 'database', undefined],
  ])('%s', (source, level, aspect) => {
    expect(compiled(source).serves).toEqual({ level, aspect });
  });

  it('lists the variables', () => {
    expect([...compiled("SELECT '{schema}.{table}', '{schema}'").variables]).toEqual(['schema', 'table']);
  });
});
