import type { Failure, FailureClass } from '../../src/domain/failure.ts';
import type { DescriptionOperation, ObjectRef, Operation } from '../../src/domain/operation.ts';
import { err, ok, type Result } from '../../src/domain/result.ts';
import type { Plan, PlanOptions, Refusal, SourceObject } from '../contract.ts';
import type { Clause } from './clause.ts';
import { lossOf, restatedAsJson, withColumnComment } from './column-definition.ts';
import { commentText } from './comment-text.ts';
import { ColumnDetail, detailOf, type MysqlDetail } from './detail.ts';
import { quotedNames } from './quoted-names.ts';
import { describeServer, hasSchemaComments, printsJsonAsLongtext } from './server.ts';
import { refuseTemplate } from './template-guard.ts';
import { printedString } from './tokens.ts';

type Planned = Result<Plan, Refusal>;

/** Turns an operation into the one statement that makes it true. Pure; `source` undefined: the catalogue's hints decide. */
export function planMysql(operation: Operation, source: SourceObject | undefined, options: PlanOptions): Planned {
  if (options.template !== undefined) return planTemplate(operation, options.template);
  if (operation.aspect === 'tags') {
    return refuse(
      'unsupported',
      'no-tags',
      'MySQL and MariaDB have no tags; a template can write them somewhere of your own.',
    );
  }
  if (operation.aspect === 'owners') {
    return refuse('unsupported', 'no-owners', 'MySQL and MariaDB have no owners of databases, tables or columns.');
  }
  const clause = planClause(operation, source, options);
  if (!clause.ok) return clause;
  const { value, notes, target, text } = clause.value;
  const statement = target === 'schema' ? text : alterTable(clause.value.address, [text], 'INSTANT');
  return ok({ statements: [statement], notes, ...(value === undefined ? {} : { value }) });
}

/** How much an ALTER TABLE may do: the server refuses it (1845, 1846) rather than do more. */
export type Algorithm = 'INSTANT' | 'INPLACE';

/** One statement for all that is written of a table. `address` and `clauses` are SQL. */
export function alterTable(address: string, clauses: readonly string[], algorithm: Algorithm): string {
  const guard = algorithm === 'INSTANT' ? 'ALGORITHM=INSTANT' : 'ALGORITHM=INPLACE, LOCK=NONE';
  return `ALTER TABLE ${address} ${clauses.join(', ')}, ${guard}`;
}

/** Plans one description. For a column `source.detail` has to carry its definition; without any source a gap is shown in its place. */
export function planClause(
  operation: DescriptionOperation,
  source: SourceObject | undefined,
  options: PlanOptions,
): Result<Clause, Refusal> {
  const { detail, exists, kind } = source ?? {};
  // What is shown of a column is planned twice: to be seen, and under the lock.
  if (!(detail instanceof ColumnDetail)) return planAnew(operation, source, options);
  const { overlong } = options;
  const last = detail.planning;
  const alike = last?.operation === operation && last.exists === exists && last.kind === kind;
  if (alike && last.overlong === overlong) return last.clause;
  const clause = planAnew(operation, source, options);
  detail.planning = { operation, exists, kind, overlong, clause };
  return clause;
}

function planAnew(
  operation: DescriptionOperation,
  source: SourceObject | undefined,
  options: PlanOptions,
): Result<Clause, Refusal> {
  const { object } = operation;
  const detail = detailOf(source);
  const refusal = refuseObject(object, source, detail);
  if (refusal !== undefined) return err(refusal);
  const comment = commentText(operation.text ?? '', object.level, options.overlong ?? 'cut');
  if (!comment.ok) return refuse('invalid', comment.error.code, comment.error.message);
  const { literal } = comment.value;
  const names = quotedNames(object);
  if (!names.ok) return refuse('invalid', `name-${names.error.code}`, names.error.message);
  const { schema, address, column } = names.value;
  const notes = [...comment.value.notes];
  const value = comment.value.text === '' ? {} : { value: comment.value.text };
  if (address === undefined) {
    if (detail === undefined)
      notes.push('Only MariaDB (10.5 or newer) has comments on schemas; the server decides when it is written.');
    return ok({
      target: 'schema',
      address: schema,
      text: `ALTER DATABASE ${schema} COMMENT ${literal}`,
      notes,
      ...value,
    });
  }
  if (column === undefined) return ok({ target: 'table', address, text: `COMMENT ${literal}`, notes, ...value });
  const definition = restate(column, detail, literal, comment.value.text);
  if (!definition.ok) return definition;
  if (detail?.definition === undefined) {
    notes.push(
      "The column's whole definition, as the server prints it, takes the place of the comment in this statement.",
    );
  }
  const { restated, ...printed } = definition.value;
  return ok({ target: 'column', address, text: `MODIFY COLUMN ${restated}`, notes, ...value, ...printed });
}

/** A column's definition with another comment, as it is sent, and as SHOW CREATE TABLE will print it. */
interface Restated {
  readonly restated: string;
  readonly printed?: string;
}

function restate(
  quoted: string,
  detail: MysqlDetail | undefined,
  literal: string,
  text: string,
): Result<Restated, Refusal> {
  if (detail === undefined) return ok({ restated: `${quoted} /* definition */ COMMENT ${literal}` });
  const { definition, server, tableCharset } = detail;
  if (definition === undefined) {
    const why = detail.noDefinition ?? 'SHOW CREATE TABLE did not show it';
    return refuse('permission', 'definition-not-visible', `The column's definition is not known: ${why}.`);
  }
  const loss = lossOf(definition, tableCharset);
  if (loss !== undefined) {
    return refuse(
      'unsupported',
      'definition-not-faithful',
      `A column's comment can only be written with its whole definition, and ${loss}.`,
    );
  }
  const sent = printsJsonAsLongtext(server) ? restatedAsJson(definition) : definition;
  const restated = withColumnComment(sent, literal);
  if (!restated.ok)
    return refuse('unsupported', 'definition-not-readable', `The column cannot be restated: ${restated.error}.`);
  const stands = text === '' ? undefined : printedString(text);
  // Nearly always what is sent.
  const printed = sent === definition && stands === literal ? restated : withColumnComment(definition, stands);
  return ok({ restated: restated.value, ...(printed.ok ? { printed: printed.value } : {}) });
}

/** A template's statements run as they are; what they bring about is only known for a description. */
function planTemplate(operation: Operation, statements: readonly string[]): Planned {
  const refusal = refuseTemplate(statements);
  if (refusal !== undefined) return refuse('invalid', refusal.code, refusal.message);
  const value = operation.aspect === 'description' ? operation.text : undefined;
  return ok({ statements, notes: [], ...(value === undefined || value === '' ? {} : { value }) });
}

/** The source's kinds of table whose comments can be written. */
const TABLES: ReadonlySet<string> = new Set(['table', 'system versioned table']);

function refuseObject(
  object: ObjectRef,
  source: SourceObject | undefined,
  detail: MysqlDetail | undefined,
): Refusal | undefined {
  const skip = (code: string, message: string): Refusal => refusalOf('unsupported', code, message);
  if (object.level === 'database') {
    return skip(
      'no-target',
      'What OpenMetadata calls the database of a MySQL service is only a name for the server: nothing in it can carry a comment.',
    );
  }
  if (object.level === 'column' && object.column?.length !== 1) {
    return skip('nested-column', 'MySQL and MariaDB have no comments on fields inside a column.');
  }
  if (object.level === 'schema' && detail !== undefined && !hasSchemaComments(detail.server)) {
    return skip(
      'no-schema-comments',
      `${describeServer(detail.server)} has no comments on databases; MariaDB has since 10.5.`,
    );
  }
  if (source?.exists === false) return { outcome: 'failed', failure: missingFailure(detail) };
  if (object.level === 'schema') return undefined;
  const kind = source?.kind ?? (/view$/i.test(object.tableType ?? '') ? 'view' : 'table');
  if (kind === 'view') {
    return skip('view', 'Views and their columns have no comments in MySQL and MariaDB (error 1347).');
  }
  if (!TABLES.has(kind)) return skip('kind-unsupported', `The object is a ${kind}, which has no comment to write.`);
  if (object.level === 'column' && kind !== 'table') {
    return skip('system-versioned', 'The server refuses to restate a column of a system-versioned table (error 4119).');
  }
  return undefined;
}

const MISSING = {
  schema: 'There is no such database on the server, or the account may not see it.',
  table: 'There is no such table in the database, or the account may not see it.',
  column: 'The table has no such column; it may have been dropped or renamed.',
} as const;

export function missingFailure(detail: MysqlDetail | undefined): Failure {
  const missing = detail?.missing ?? 'table';
  return { class: 'not_found', scope: 'object', code: `${missing}-missing`, message: MISSING[missing] };
}

function refuse(failureClass: FailureClass, code: string, message: string): Result<never, Refusal> {
  return err(refusalOf(failureClass, code, message));
}

function refusalOf(failureClass: FailureClass, code: string, message: string): Refusal {
  const failure: Failure = { class: failureClass, scope: 'object', code, message };
  return { outcome: failureClass === 'unsupported' ? 'skipped' : 'failed', failure };
}
