import type { Failure, FailureClass } from '../../src/domain/failure.ts';
import type { DescriptionOperation, ObjectRef, Operation, OwnersOperation } from '../../src/domain/operation.ts';
import { err, ok, type Result } from '../../src/domain/result.ts';
import type { Connector, Plan, PlanOptions, Refusal, SourceObject } from '../contract.ts';
import type { Dialect } from '../dialect/dialect.ts';
import { fitText } from '../text-limit.ts';
import { missingFailure } from './missing.ts';
import { DESCRIPTION_BYTES, postgresSpec, TABLE_KINDS, type TableKind } from './spec.ts';
import { controlsTransaction } from './transaction-control.ts';

type Planned = Result<Plan, Refusal>;

/** Turns an operation into the one statement that makes it true. Pure; `source` undefined: the catalogue's hints decide. */
export const planPostgres = plannerFor(postgresSpec.dialect);

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
  if (options.template !== undefined) return planTemplate(dialect, operation, options.template);
  if (operation.aspect === 'tags') {
    return refuse('unsupported', 'no-tags', 'PostgreSQL has no tags; a template can write them somewhere of your own.');
  }
  const { object } = operation;
  if (object.level === 'column' && object.column?.length !== 1) {
    return refuse('unsupported', 'nested-column', 'PostgreSQL has no comments on fields inside a column.');
  }
  if (operation.aspect === 'owners' && object.level === 'column') {
    return refuse('unsupported', 'column-owner', 'In PostgreSQL a column has no owner of its own.');
  }
  if (source?.exists === false) return err({ outcome: 'failed', failure: missingFailure(source) });
  const kind = kindOf(object, source);
  if (!kind.ok) return kind;
  const planned =
    operation.aspect === 'description'
      ? planDescription(dialect, operation, kind.value.keyword, options)
      : planOwner(dialect, operation, kind.value.keyword);
  if (!planned.ok || !kind.value.assumed) return planned;
  const note = `The kind of object (${kind.value.keyword.toLowerCase()}) is taken from the catalogue; the source decides when it is written.`;
  return ok({ ...planned.value, notes: [...planned.value.notes, note] });
}

/** A template's statements run as they are; what they bring about is only known for a description and an owner. */
function planTemplate(dialect: Dialect, operation: Operation, statements: readonly string[]): Planned {
  if (statements.some((statement) => controlsTransaction(statement, dialect))) {
    return refuse(
      'invalid',
      'template-transaction-control',
      'A template runs in one transaction of its own; take BEGIN, COMMIT and ROLLBACK out of it.',
    );
  }
  const value =
    operation.aspect === 'description'
      ? operation.text
      : operation.aspect === 'owners'
        ? operation.principal
        : undefined;
  return ok({ statements, notes: [], ...(value === undefined || value === '' ? {} : { value }) });
}

function planDescription(
  dialect: Dialect,
  operation: DescriptionOperation,
  keyword: string,
  options: PlanOptions,
): Planned {
  const address = addressOf(dialect, operation.object, keyword);
  if (!address.ok) return address;
  const text = operation.text ?? '';
  // An empty comment is stored as none at all, so both are the same wish.
  if (text === '') return ok({ statements: [`COMMENT ON ${address.value} IS NULL`], notes: [] });
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
    statements: [`COMMENT ON ${address.value} IS ${literal.value}`],
    notes: fitted.value.note === undefined ? [] : [fitted.value.note],
    value: fitted.value.text,
  });
}

function planOwner(dialect: Dialect, operation: OwnersOperation, keyword: string): Planned {
  if (operation.principal === undefined || operation.principal === '') {
    return refuse(
      'unsupported',
      'owner-required',
      'An object in PostgreSQL always has an owner: it can be given to another role, but not be left without one.',
    );
  }
  const address = addressOf(dialect, operation.object, keyword);
  if (!address.ok) return address;
  const role = dialect.quoteIdentifier(operation.principal);
  if (!role.ok)
    return refuse('invalid', `role-${role.error.code}`, `The owner's role cannot be named: ${role.error.message}.`);
  return ok({
    statements: [`ALTER ${address.value} OWNER TO ${role.value}`],
    notes: [],
    value: operation.principal,
  });
}

/** Keyword and quoted name, as COMMENT ON and ALTER take them: `MATERIALIZED VIEW "s"."t"`. */
function addressOf(dialect: Dialect, object: ObjectRef, keyword: string): Result<string, Refusal> {
  const names: string[] = [];
  for (const name of namesOf(object)) {
    if (name === undefined || name === '') {
      return refuse('invalid', 'incomplete-object', `The change does not name the whole object (${object.level}).`);
    }
    const quoted = dialect.quoteIdentifier(name);
    // The server would cut a longer name with no more than a notice, and write to another object.
    if (!quoted.ok) {
      return refuse('invalid', `name-${quoted.error.code}`, `The object cannot be named: ${quoted.error.message}.`);
    }
    names.push(quoted.value);
  }
  return ok(`${keyword} ${names.join('.')}`);
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

const KEYWORDS: Readonly<Record<TableKind, string>> = {
  table: 'TABLE',
  'partitioned table': 'TABLE',
  view: 'VIEW',
  'materialized view': 'MATERIALIZED VIEW',
  'foreign table': 'FOREIGN TABLE',
};

/** OpenMetadata's `tableType`, where it differs from a plain table. */
const HINTS: Readonly<Record<string, TableKind>> = {
  View: 'view',
  SecureView: 'view',
  MaterializedView: 'materialized view',
  Foreign: 'foreign table',
  External: 'foreign table',
  Partitioned: 'partitioned table',
};

interface KindWord {
  readonly keyword: string;
  readonly assumed: boolean;
}

function kindOf(object: ObjectRef, source: SourceObject | undefined): Result<KindWord, Refusal> {
  if (object.level === 'database') return ok({ keyword: 'DATABASE', assumed: false });
  if (object.level === 'schema') return ok({ keyword: 'SCHEMA', assumed: false });
  const known = source?.kind;
  const kind = known === undefined ? (HINTS[object.tableType ?? ''] ?? 'table') : TABLE_KINDS.find((k) => k === known);
  if (kind === undefined) {
    return refuse(
      'unsupported',
      'kind-unsupported',
      `The object is a ${known}, which OpenMetadata's tables do not cover.`,
    );
  }
  if (object.level === 'column') return ok({ keyword: 'COLUMN', assumed: false });
  return ok({ keyword: KEYWORDS[kind], assumed: known === undefined });
}

function refuse(failureClass: FailureClass, code: string, message: string): Result<never, Refusal> {
  const failure: Failure = { class: failureClass, scope: 'object', code, message };
  return err({ outcome: failureClass === 'unsupported' ? 'skipped' : 'failed', failure });
}
