import type { ObjectRef } from '../../src/domain/operation.ts';
import { ok, type Result } from '../../src/domain/result.ts';
import type { Refusal, SourceObject } from '../contract.ts';
import { mssqlDialect, NAME_UNITS } from '../dialect/mssql-dialect.ts';
import { refuse } from './refuse.ts';
import { TABLE_KINDS, type TableKind } from './spec.ts';
import type { Argument } from './step.ts';

/** The object of an operation, checked and in the forms in which statements name it. */
export interface Target {
  readonly kind: 'database' | 'schema' | TableKind;
  /** The kind of table is the catalogue's word, since nobody has looked. */
  readonly assumed: boolean;
  /** `@level0type`, `@level0name`, …: none for the database itself. */
  readonly levels: readonly Argument[];
  /** `[app].[orders].[note]` */
  readonly quoted: string;
}

/** OpenMetadata's `tableType` where it means a view. */
const VIEWS: ReadonlySet<string> = new Set(['View', 'SecureView', 'MaterializedView']);

/** Checks the names of the object and finds the kind; `source` undefined: the catalogue's hint decides. */
export function targetOf(object: ObjectRef, source: SourceObject | undefined): Result<Target, Refusal> {
  if (object.level === 'column' && object.column?.length !== 1) {
    return refuse('unsupported', 'nested-column', 'SQL Server has no columns inside a column.');
  }
  const names = namesOf(object);
  const quoted: string[] = [];
  for (const name of names) {
    if (name === undefined || name === '') {
      return refuse('invalid', 'incomplete-object', `The change does not name the whole object (${object.level}).`);
    }
    const one = mssqlDialect.quoteIdentifier(name);
    if (!one.ok) {
      return refuse('invalid', `name-${one.error.code}`, `The object cannot be named: ${one.error.message}.`);
    }
    quoted.push(one.value);
  }
  const address = quoted.join('.');
  if (object.level === 'database') return ok({ kind: 'database', assumed: false, levels: [], quoted: address });
  const schema = level(0, 'SCHEMA', object.schema);
  if (object.level === 'schema') return ok({ kind: 'schema', assumed: false, levels: schema, quoted: address });
  const known = source?.kind;
  const hint: TableKind = VIEWS.has(object.tableType ?? '') ? 'view' : 'table';
  const kind = known === undefined ? hint : TABLE_KINDS.find((one) => one === known);
  if (kind === undefined) {
    return refuse('unsupported', 'kind-unsupported', `The object is a ${known}; only tables and views are written to.`);
  }
  const table = level(1, kind === 'view' ? 'VIEW' : 'TABLE', object.table);
  const column = object.level === 'column' ? level(2, 'COLUMN', object.column?.[0]) : [];
  return ok({ kind, assumed: known === undefined, levels: [...schema, ...table, ...column], quoted: address });
}

function namesOf(object: ObjectRef): readonly (string | undefined)[] {
  switch (object.level) {
    case 'database':
      return [object.database];
    case 'schema':
      return [object.schema];
    case 'table':
      return [object.schema, object.table];
    case 'column':
      return [object.schema, object.table, object.column?.[0]];
  }
}

function level(number: 0 | 1 | 2, type: string, name: string | undefined): readonly Argument[] {
  return [
    { name: `level${number}type`, value: type, units: NAME_UNITS },
    { name: `level${number}name`, value: name ?? '', units: NAME_UNITS },
  ];
}
