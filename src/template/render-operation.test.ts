import { describe, expect, it } from 'vitest';
import type { Dialect } from '../../connectors/dialect/dialect.ts';
import { postgresDialect } from '../../connectors/dialect/postgres-dialect.ts';
import type { ObjectRef, Operation, TagsOperation } from '../domain/operation.ts';
import { compileTemplate } from './compile.ts';
import { renderOperation, serves, templateValues } from './render-operation.ts';
import type { CompiledTemplate } from './template.ts';

const TABLE: ObjectRef = {
  level: 'table',
  entityType: 'table',
  fqn: 'pg.shop.public.orders',
  service: 'pg',
  database: 'shop',
  schema: 'public',
  table: 'orders',
};
const COLUMN: ObjectRef = { ...TABLE, level: 'column', column: ['id'], dataType: 'INT' };
const TAGS: TagsOperation = {
  aspect: 'tags',
  object: TABLE,
  desired: [
    { key: 'PII', value: 'None' },
    { key: 'Tier', value: 'Tier1' },
  ],
  added: [
    { key: 'PII', value: 'None' },
    { key: 'Tier', value: 'Tier1' },
  ],
  unset: [{ key: 'Team', value: 'Sales' }],
};

function template(source: string, dialect: Dialect = postgresDialect): CompiledTemplate {
  const compiled = compileTemplate(source, dialect);
  if (!compiled.ok) throw new Error(compiled.error.map((error) => error.message).join('; '));
  return compiled.value;
}

describe('renderOperation', () => {
  it('renders a description, and a cleared one', () => {
    const comment = template('COMMENT ON COLUMN {table}.{column} IS {description}');
    const operation: Operation = { aspect: 'description', object: COLUMN, text: 'the key' };
    expect(renderOperation(comment, operation)).toEqual({
      ok: true,
      value: [`COMMENT ON COLUMN "orders"."id" IS 'the key'`],
    });
    expect(renderOperation(comment, { ...operation, text: undefined })).toEqual({
      ok: true,
      value: ['COMMENT ON COLUMN "orders"."id" IS NULL'],
    });
  });

  it('runs once per added tag, or per removed one', () => {
    const set = template("SELECT set_tag({table}, '{tag_key}', {tag_value})");
    expect(renderOperation(set, TAGS)).toEqual({
      ok: true,
      value: [`SELECT set_tag("orders", 'PII', 'None')`, `SELECT set_tag("orders", 'Tier', 'Tier1')`],
    });
    expect(renderOperation(template('SELECT unset_tag({table}, {tag_value})'), TAGS, 'remove')).toEqual({
      ok: true,
      value: [`SELECT unset_tag("orders", 'Sales')`],
    });
  });

  it('never sets a tag that was removed', () => {
    const set = template("SELECT set_tag('{tag_key}')");
    expect(renderOperation(set, { ...TAGS, added: [] })).toEqual({ ok: true, value: [] });
  });

  it('runs once for the list of tags, with the wanted set', () => {
    const lists: Dialect = {
      ...postgresDialect,
      tagList: (tags) => ({ ok: true, value: `[${tags.map((tag) => tag.key).join()}]` }),
    };
    expect(renderOperation(template('SET LABELS {tags}', lists), TAGS)).toEqual({
      ok: true,
      value: ['SET LABELS [PII,Tier]'],
    });
  });

  it('refuses a change of another aspect', () => {
    expect(renderOperation(template('SELECT {owner}'), TAGS)).toMatchObject({
      ok: false,
      error: { message: 'the template is for owners, the change is of tags' },
    });
  });

  it('says that an owner is missing when the catalogue has none any more', () => {
    expect(
      renderOperation(template('ALTER TABLE {table} OWNER TO {owner}'), {
        aspect: 'owners',
        object: TABLE,
        principal: undefined,
      }),
    ).toMatchObject({ ok: false, error: { column: 30, message: 'the change has no value for {owner}' } });
  });

  it('refuses a nested column where the dialect has none, and joins it where it has', () => {
    const operation: Operation = {
      aspect: 'description',
      object: { ...COLUMN, column: ['address', 'lat'] },
      text: 'north',
    };
    const source = 'COMMENT ON COLUMN\n{table}.{column} IS {description}';
    expect(renderOperation(template(source), operation)).toMatchObject({
      ok: false,
      error: { line: 2, column: 9, message: expect.stringContaining('nested column') },
    });
    const nesting: Dialect = { ...postgresDialect, joinColumn: (path) => path.join('.') };
    expect(renderOperation(template(source, nesting), operation)).toEqual({
      ok: true,
      value: [`COMMENT ON COLUMN\n"orders"."address.lat" IS 'north'`],
    });
  });
});

describe('templateValues', () => {
  it('holds every variable that the operation has', () => {
    const operation: Operation = { aspect: 'description', object: COLUMN, text: 'new', previous: 'old' };
    expect(templateValues(operation, postgresDialect)).toEqual({
      ok: true,
      value: {
        database: 'shop',
        schema: 'public',
        table: 'orders',
        column: 'id',
        data_type: 'INT',
        service: 'pg',
        description: 'new',
        previous_description: 'old',
      },
    });
  });
});

describe('serves', () => {
  it('compares level and aspect', () => {
    const column = template('SELECT {column}, {description}');
    expect(serves(column, { aspect: 'description', object: COLUMN, text: 'x' })).toBe(true);
    expect(serves(column, { aspect: 'description', object: TABLE, text: 'x' })).toBe(false);
    expect(serves(column, { aspect: 'owners', object: COLUMN, principal: 'x' })).toBe(false);
    expect(serves(template('SELECT {table}'), TAGS)).toBe(true);
  });
});
