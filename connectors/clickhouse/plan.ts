import type { Failure, FailureClass } from '../../src/domain/failure.ts';
import type { DescriptionOperation, ObjectRef, Operation } from '../../src/domain/operation.ts';
import { err, ok, type Result } from '../../src/domain/result.ts';
import type { Plan, PlanOptions, Refusal, SourceObject } from '../contract.ts';
import { clickhouseDialect } from '../dialect/clickhouse-dialect.ts';
import { fitText } from '../text-limit.ts';
import { type ClickhouseDetail, detailOf, missingFailure } from './detail.ts';
import { DEFINITION_BYTES, DESCRIPTION_BYTES } from './spec.ts';
import { holdsFormattedData } from './template-guard.ts';

type Planned = Result<Plan, Refusal>;

/** Turns an operation into the one statement that makes it true. Pure; `source` undefined: the catalogue's hints decide. */
export function planClickhouse(operation: Operation, source: SourceObject | undefined, options: PlanOptions): Planned {
  if (options.template !== undefined) return planTemplate(operation, options.template);
  if (operation.aspect === 'tags') {
    return refuse('unsupported', 'no-tags', 'ClickHouse has no tags; a template can write them somewhere of your own.');
  }
  if (operation.aspect === 'owners') {
    return refuse('unsupported', 'no-owners', 'ClickHouse has no owners of databases, tables or columns.');
  }
  const clause = planClause(operation, source, options);
  if (!clause.ok) return clause;
  const { notes, value } = clause.value;
  return ok({
    statements: [alter(clause.value.target, [clause.value.action])],
    notes,
    ...(value === undefined ? {} : { value }),
  });
}

/** What one description contributes to an ALTER. */
export interface Clause {
  /** What is altered, quoted: ``TABLE `shop`.`orders` ``, ``DATABASE `shop` ON CLUSTER `all` ``. */
  readonly target: string;
  readonly action: string;
  /**
   * Actions of one target and the same kind run in one ALTER. On replicated tables the table's comment belongs to each replica, while
   * the columns' comments are replicated: ON CLUSTER runs an ALTER that holds both on one replica only, and the others miss the first.
   */
  readonly kind: 'database' | 'table' | 'column' | 'table or column';
  readonly notes: readonly string[];
  /** Bytes by which the table's definition grows. */
  readonly growth: number;
  /** What will stand in the source; undefined: nothing. */
  readonly value?: string;
}

/** A table that would not be loaded again because its comments are too long altogether. */
export const DEFINITION_TOO_LARGE: Failure = {
  class: 'invalid',
  scope: 'object',
  code: 'definition-too-large',
  message: `The table's definition with all comments would exceed ${DEFINITION_BYTES} bytes, and above max_query_size the server could not load the table after its next start. Shorten the descriptions of the table and its columns.`,
};

export function alter(target: string, actions: readonly string[]): string {
  return `ALTER ${target} ${actions.join(', ')}`;
}

/** Plans one description. */
export function planClause(
  operation: DescriptionOperation,
  source: SourceObject | undefined,
  options: PlanOptions,
): Result<Clause, Refusal> {
  const { object } = operation;
  const detail = detailOf(source);
  const refusal = refuseObject(object, source, detail);
  if (refusal !== undefined) return err(refusal);
  const text = operation.text ?? '';
  // Checked before the cut, so that what the cut takes away cannot hide it.
  const whole = clickhouseDialect.quoteLiteral(text);
  if (!whole.ok)
    return refuse('invalid', whole.error.code, `The description cannot be written: ${whole.error.message}.`);
  const fitted = fitText(text, { max: DESCRIPTION_BYTES, unit: 'bytes' }, options.overlong ?? 'cut');
  if (!fitted.ok) return refuse('invalid', 'description-too-long', fitted.error);
  const literal = fitted.value.text === text ? whole : clickhouseDialect.quoteLiteral(fitted.value.text);
  if (!literal.ok)
    return refuse('invalid', literal.error.code, `The description cannot be written: ${literal.error.message}.`);
  const names = quotedNames(object);
  if (!names.ok) return names;
  const cluster = clusterFor(object, detail);
  if (!cluster.ok) return cluster;
  const [schema = '', table, column] = names.value;
  const notes = [
    ...(fitted.value.note === undefined ? [] : [fitted.value.note]),
    ...replicaNotes(object, detail),
    ...viewNotes(object, source),
  ];
  const growth = bytesOf(literal.value) - bytesOf(clickhouseDialect.quoteLiteral(source?.description ?? ''));
  if (growth > 0 && (detail.definitionBytes ?? 0) + growth > DEFINITION_BYTES) {
    return err({ outcome: 'failed', failure: DEFINITION_TOO_LARGE });
  }
  const common = { notes, growth, ...(text === '' ? {} : { value: fitted.value.text }) };
  if (table === undefined) {
    return ok({
      target: `DATABASE ${schema}${cluster.value}`,
      action: `MODIFY COMMENT ${literal.value}`,
      kind: 'database',
      ...common,
    });
  }
  const target = `TABLE ${schema}.${table}${cluster.value}`;
  const apart = cluster.value !== '' || isReplicated(detail);
  if (column === undefined) {
    return ok({
      target,
      action: `MODIFY COMMENT ${literal.value}`,
      kind: apart ? 'table' : 'table or column',
      ...common,
    });
  }
  return ok({
    target,
    action: `COMMENT COLUMN ${column} ${literal.value}`,
    kind: apart ? 'column' : 'table or column',
    ...common,
  });
}

function bytesOf(literal: string | ReturnType<typeof clickhouseDialect.quoteLiteral>): number {
  if (typeof literal !== 'string') return literal.ok ? bytesOf(literal.value) : 0;
  return Buffer.byteLength(literal);
}

/** A template's statements run as they are; what they bring about is only known for a description. */
function planTemplate(operation: Operation, statements: readonly string[]): Planned {
  if (statements.some(holdsFormattedData)) {
    return refuse(
      'invalid',
      'template-formatted-data',
      'An INSERT … FORMAT reads its data by the rules of that format, where values quoted for SQL are not safe; write INSERT … VALUES.',
    );
  }
  const value = operation.aspect === 'description' ? operation.text : undefined;
  return ok({ statements, notes: [], ...(value === undefined || value === '' ? {} : { value }) });
}

const SYSTEM: ReadonlySet<string> = new Set(['system', 'information_schema', 'INFORMATION_SCHEMA']);

function refuseObject(
  object: ObjectRef,
  source: SourceObject | undefined,
  detail: ClickhouseDetail,
): Refusal | undefined {
  const skip = (code: string, message: string): Refusal => refusalOf('unsupported', code, message);
  const { level, schema = '', table = '' } = object;
  if (level === 'database') {
    return skip(
      'no-target',
      'What OpenMetadata calls the database of a ClickHouse service is only a name for the server: nothing in it can carry a comment.',
    );
  }
  if (SYSTEM.has(schema))
    return skip(
      'system-object',
      'The objects of this database belong to the server, which makes them anew at each start.',
    );
  if (/^\.(tmp\.)?inner(_id)?\./.test(table)) {
    return skip('inner-table', 'This is the hidden table of a materialized view; describe the view instead.');
  }
  if (source?.exists === false) {
    if (detail.nested === 'parent') {
      return skip(
        'nested-parent',
        'A Nested column exists only as its parts (name.part), which have comments; it has none itself.',
      );
    }
    if (detail.nested === 'field') {
      return skip(
        'nested-field',
        "A part of this column's type (Tuple, Nested in one piece, JSON, …) has no comment of its own.",
      );
    }
    return { outcome: 'failed', failure: missingFailure(detail) };
  }
  if (level !== 'column') return undefined;
  const kind = source?.kind;
  if (kind === 'materialized view' && detail.storesItself === true) {
    return skip(
      'materialized-view-column',
      'ClickHouse accepts a comment on a column of a materialized view that stores its rows itself, and does not keep it. A view that writes TO a table keeps it.',
    );
  }
  if (kind === 'dictionary')
    return skip('dictionary-column', 'The attributes of a dictionary have no comments in ClickHouse.');
  return undefined;
}

/** Engines of databases that carry every statement to all replicas themselves. */
const CARRIES_STATEMENTS: ReadonlySet<string> = new Set(['Replicated', 'Shared']);

function isReplicated({ engine = '' }: ClickhouseDetail): boolean {
  return engine.startsWith('Replicated') || engine.startsWith('Shared');
}

/** ` ON CLUSTER …` or nothing. A Replicated database takes no such statements for its tables; its own comment is each replica's. */
function clusterFor(object: ObjectRef, detail: ClickhouseDetail): Result<string, Refusal> {
  const { cluster, databaseEngine = '' } = detail;
  if (cluster === undefined || databaseEngine === 'Shared') return ok('');
  if (object.level !== 'schema' && CARRIES_STATEMENTS.has(databaseEngine)) return ok('');
  const name = clickhouseDialect.quoteIdentifier(cluster);
  return name.ok ? ok(` ON CLUSTER ${name.value}`) : refuse('invalid', 'cluster-name', name.error.message);
}

function replicaNotes(object: ObjectRef, detail: ClickhouseDetail): readonly string[] {
  const { cluster, databaseEngine = '', engine = '' } = detail;
  if (cluster !== undefined || object.level !== 'table' || CARRIES_STATEMENTS.has(databaseEngine)) return [];
  if (!engine.startsWith('Replicated')) return [];
  return [
    "Each replica keeps a table's comment for itself, and only the one that is connected to gets it. Set backflow.cluster to write to all.",
  ];
}

function viewNotes({ level, tableType = '' }: ObjectRef, source: SourceObject | undefined): readonly string[] {
  if (source !== undefined || level !== 'column' || !/materialized/i.test(tableType)) return [];
  return [
    'Only a materialized view that writes TO a table keeps comments on its columns; the source decides when it is written.',
  ];
}

/** The parts of a Nested column are columns whose names hold a dot. */
function quotedNames(object: ObjectRef): Result<readonly string[], Refusal> {
  const column = object.column === undefined || object.column.length === 0 ? undefined : object.column.join('.');
  const names = [object.schema, object.table, column].slice(
    0,
    object.level === 'schema' ? 1 : object.level === 'table' ? 2 : 3,
  );
  const quoted: string[] = [];
  for (const name of names) {
    if (name === undefined || name === '') {
      return refuse('invalid', 'incomplete-object', `The change does not name the whole object (${object.level}).`);
    }
    const one = clickhouseDialect.quoteIdentifier(name);
    if (!one.ok)
      return refuse('invalid', `name-${one.error.code}`, `The object cannot be named: ${one.error.message}.`);
    quoted.push(one.value);
  }
  return ok(quoted);
}

function refuse(failureClass: FailureClass, code: string, message: string): Result<never, Refusal> {
  return err(refusalOf(failureClass, code, message));
}

function refusalOf(failureClass: FailureClass, code: string, message: string): Refusal {
  const failure: Failure = { class: failureClass, scope: 'object', code, message };
  return { outcome: failureClass === 'unsupported' ? 'skipped' : 'failed', failure };
}
