import type { ObjectRef } from '../../src/domain/operation.ts';
import { ok, type Result } from '../../src/domain/result.ts';
import type { QuoteRefusal } from '../dialect/dialect.ts';
import { mysqlDialect } from '../dialect/mysql-dialect.ts';

/** The names of a schema, table or column in SQL. */
export interface QuotedNames {
  readonly schema: string;
  /** The table: `` `shop`.`orders` ``. */
  readonly address?: string;
  readonly column?: string;
}

interface QuotedTable {
  readonly schema: string | undefined;
  readonly table: string | undefined;
  readonly names: Required<Pick<QuotedNames, 'schema' | 'address'>>;
}

/** The table that was quoted last: columns of the same one are planned one after the other. */
let last: QuotedTable | undefined;

/** The error tells which name no identifier can be. */
export function quotedNames({ level, schema, table, column }: ObjectRef): Result<QuotedNames, QuoteRefusal> {
  if (level === 'schema') {
    const quoted = mysqlDialect.quoteIdentifier(schema ?? '');
    return quoted.ok ? ok({ schema: quoted.value }) : quoted;
  }
  const names = quotedTable(schema, table);
  if (level === 'table' || !names.ok) return names;
  const quoted = mysqlDialect.quoteIdentifier(column?.[0] ?? '');
  return quoted.ok ? ok({ ...names.value, column: quoted.value }) : quoted;
}

function quotedTable(
  schema: string | undefined,
  table: string | undefined,
): Result<QuotedTable['names'], QuoteRefusal> {
  if (last !== undefined && last.schema === schema && last.table === table) return ok(last.names);
  const quotedSchema = mysqlDialect.quoteIdentifier(schema ?? '');
  if (!quotedSchema.ok) return quotedSchema;
  const quoted = mysqlDialect.quoteIdentifier(table ?? '');
  if (!quoted.ok) return quoted;
  const names = { schema: quotedSchema.value, address: `${quotedSchema.value}.${quoted.value}` };
  last = { schema, table, names };
  return ok(names);
}
