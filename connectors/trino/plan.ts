import type { Failure, FailureClass } from '../../src/domain/failure.ts';
import type { DescriptionOperation, ObjectRef, Operation, OwnersOperation } from '../../src/domain/operation.ts';
import { err, ok, type Result } from '../../src/domain/result.ts';
import type { Connector, Plan, PlanOptions, Refusal, SourceObject } from '../contract.ts';
import type { Dialect } from '../dialect/dialect.ts';
import { trinoDialect } from '../dialect/trino-dialect.ts';
import { fitText } from '../text-limit.ts';
import { detailOf, missingFailure } from './detail.ts';
import { lackOf } from './lacks.ts';
import { formatPrincipal, parsePrincipal } from './principal.ts';
import { DESCRIPTION_BYTES } from './spec.ts';
import { refuseTemplate } from './template-guard.ts';

type Planned = Result<Plan, Refusal>;

/** Turns an operation into the one statement that makes it true. Pure; `source` undefined: the catalogue's hints decide. */
export const planTrino = plannerFor(trinoDialect);

/** The planner with another dialect's quoting; tests put broken ones in to see that they are noticed. */
export function plannerFor(dialect: Dialect): Connector['plan'] {
  return (operation, source, options) => planWith(dialect, operation, source, options);
}

function planWith(
  dialect: Dialect,
  operation: Operation,
  source: SourceObject | undefined,
  options: PlanOptions,
): Planned {
  if (options.template !== undefined) return planTemplate(operation, options.template);
  if (operation.aspect === 'tags') {
    return refuse('unsupported', 'no-tags', 'Trino has no tags; a template can write them somewhere of your own.');
  }
  const kind = source?.kind ?? hintedKind(operation.object);
  const refusal =
    refuseObject(operation.object) ??
    (operation.aspect === 'description' ? refuseDescription(operation, source, kind) : refuseOwner(operation, kind)) ??
    refuseSource(operation, source, kind);
  if (refusal !== undefined) return err(refusal);
  const planned =
    operation.aspect === 'description'
      ? planDescription(dialect, operation, kind, detailOf(source).connector, options)
      : planOwner(dialect, operation, kind);
  if (!planned.ok || source !== undefined || operation.object.level !== 'table') return planned;
  const note = `The kind of object (${kind}) is taken from the catalogue; the source decides when it is written.`;
  return ok({ ...planned.value, notes: [...planned.value.notes, note] });
}

/** A template's statements run as they are; what they bring about is only known for a description and an owner. */
function planTemplate(operation: Operation, statements: readonly string[]): Planned {
  for (const statement of statements) {
    const refusal = refuseTemplate(statement);
    if (refusal !== undefined) return err(refusal);
  }
  const value =
    operation.aspect === 'description'
      ? operation.text
      : operation.aspect === 'owners'
        ? operation.principal
        : undefined;
  return ok({ statements, notes: [], ...(value === undefined || value === '' ? {} : { value }) });
}

function hintedKind({ level, tableType = '' }: ObjectRef): string {
  if (level === 'database') return 'catalog';
  if (level === 'schema') return 'schema';
  if (/materialized/i.test(tableType)) return 'materialized view';
  return /view$/i.test(tableType) ? 'view' : 'table';
}

function refuseObject({ database, schema }: ObjectRef): Refusal | undefined {
  if (database.toLowerCase() !== 'system' && schema?.toLowerCase() !== 'information_schema') return undefined;
  return refusalOf('unsupported', 'system-object', 'The objects of this schema belong to the server.');
}

function refuseDescription(
  { object }: DescriptionOperation,
  source: SourceObject | undefined,
  kind: string,
): Refusal | undefined {
  const skip = (code: string, message: string) => refusalOf('unsupported', code, message);
  if (object.level === 'database') return skip('no-catalog-comments', 'Trino has no comments on catalogs.');
  if (object.level === 'schema') return skip('no-schema-comments', 'Trino has no comments on schemas.');
  if (object.level === 'column' && (object.column?.length ?? 0) > 1) {
    return skip('nested-column', 'Trino has no comments on fields inside a column; describe the column itself.');
  }
  if (object.level === 'table' && kind === 'materialized view') {
    return skip('materialized-view', 'Trino cannot change the comment of a materialized view without making it anew.');
  }
  if (detailOf(source).grantsAtStake !== true) return undefined;
  return skip(
    'view-grants',
    'The view has grants (Hive with sql-standard security), and COMMENT takes all of them away: the connector makes the view anew.',
  );
}

function refuseOwner({ object, principal }: OwnersOperation, kind: string): Refusal | undefined {
  const skip = (code: string, message: string) => refusalOf('unsupported', code, message);
  if (object.level === 'database') return skip('catalog-owner', 'In Trino a catalog has no owner.');
  if (object.level === 'column') return skip('column-owner', 'In Trino a column has no owner of its own.');
  if (kind === 'materialized view') {
    return skip('materialized-view-owner', 'Trino changes owners of materialized views only from version 483 on.');
  }
  if (principal !== undefined && parsePrincipal(principal).name !== '') return undefined;
  return skip('owner-required', 'In Trino an owner can be exchanged for another one, but not taken away.');
}

function refuseSource(operation: Operation, source: SourceObject | undefined, kind: string): Refusal | undefined {
  const detail = detailOf(source);
  if (source?.exists === false) return { outcome: 'failed', failure: missingFailure(detail) };
  const lack = lackOf(operation, kind);
  if (detail.lacks?.includes(lack) !== true) return undefined;
  const connector = detail.connector === undefined ? 'The connector' : `The connector "${detail.connector}"`;
  return refusalOf(
    'unsupported',
    'connector-lacks',
    `${connector} behind this catalog does not support it (${lack}); it said so within the last hour.`,
  );
}

function planDescription(
  dialect: Dialect,
  operation: DescriptionOperation,
  kind: string,
  connector: string | undefined,
  options: PlanOptions,
): Planned {
  const { object } = operation;
  const remade = kind !== 'table' && (connector === 'hive' || connector === 'iceberg') ? [REMADE] : [];
  const keyword = object.level === 'column' ? 'COLUMN' : kind === 'view' ? 'VIEW' : 'TABLE';
  const name = nameOf(dialect, object);
  if (!name.ok) return name;
  const text = operation.text ?? '';
  // Some connectors keep an empty comment and others none: the same wish is written in one way.
  if (text === '') return ok({ statements: [`COMMENT ON ${keyword} ${name.value} IS NULL`], notes: remade });
  // Checked before the cut, so that what the cut takes away cannot hide it.
  const whole = dialect.quoteLiteral(text);
  if (!whole.ok)
    return refuse('invalid', whole.error.code, `The description cannot be written: ${whole.error.message}.`);
  const fitted = fitText(text, { max: DESCRIPTION_BYTES, unit: 'bytes' }, options.overlong ?? 'cut');
  if (!fitted.ok) return refuse('invalid', 'description-too-long', fitted.error);
  const literal = dialect.quoteLiteral(fitted.value.text);
  if (!literal.ok)
    return refuse('invalid', literal.error.code, `The description cannot be written: ${literal.error.message}.`);
  return ok({
    statements: [`COMMENT ON ${keyword} ${name.value} IS ${literal.value}`],
    notes: [...(fitted.value.note === undefined ? [] : [fitted.value.note]), ...remade],
    value: fitted.value.text,
  });
}

/** Grants that Trino shows are protected (`view-grants`); without security of the catalog's own it shows none. */
const REMADE =
  'The connector makes the view anew for this: privileges that the metastore keeps for it, and that Trino does not show, start afresh.';

function planOwner(dialect: Dialect, { object, principal = '' }: OwnersOperation, kind: string): Planned {
  const keyword = object.level === 'schema' ? 'SCHEMA' : kind === 'view' ? 'VIEW' : 'TABLE';
  const name = nameOf(dialect, object);
  if (!name.ok) return name;
  const owner = parsePrincipal(principal);
  const quoted = dialect.quoteIdentifier(owner.name);
  if (!quoted.ok)
    return refuse('invalid', `owner-${quoted.error.code}`, `The owner cannot be named: ${quoted.error.message}.`);
  const statement = `ALTER ${keyword} ${name.value} SET AUTHORIZATION ${owner.kind} ${quoted.value}`;
  return ok({ statements: [statement], notes: [], value: formatPrincipal(owner) });
}

/** The name from the catalog down, quoted. */
function nameOf(dialect: Dialect, object: ObjectRef): Result<string, Refusal> {
  const all = [object.database, object.schema, object.table, object.column?.[0]];
  const quoted: string[] = [];
  for (const name of all.slice(0, { database: 1, schema: 2, table: 3, column: 4 }[object.level])) {
    if (name === undefined || name === '') {
      return refuse('invalid', 'incomplete-object', `The change does not name the whole object (${object.level}).`);
    }
    const one = dialect.quoteIdentifier(name);
    if (!one.ok)
      return refuse('invalid', `name-${one.error.code}`, `The object cannot be named: ${one.error.message}.`);
    quoted.push(one.value);
  }
  return ok(quoted.join('.'));
}

function refuse(failureClass: FailureClass, code: string, message: string): Result<never, Refusal> {
  return err(refusalOf(failureClass, code, message));
}

function refusalOf(failureClass: FailureClass, code: string, message: string): Refusal {
  const failure: Failure = { class: failureClass, scope: 'object', code, message };
  return { outcome: failureClass === 'unsupported' ? 'skipped' : 'failed', failure };
}
