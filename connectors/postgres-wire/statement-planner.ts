import type { Failure, FailureClass } from '../../src/domain/failure.ts';
import type { DescriptionOperation, ObjectRef, Operation, OwnersOperation } from '../../src/domain/operation.ts';
import { err, ok, type Result } from '../../src/domain/result.ts';
import type { Connector, Plan, PlanOptions, Refusal, SourceObject } from '../contract.ts';
import type { Dialect } from '../dialect/dialect.ts';
import { fitText } from '../text-limit.ts';
import { missingFailure } from './missing.ts';
import { controlsTransaction } from './transaction-control.ts';

type Planned = Result<Plan, Refusal>;

/** The words that stand before an object's name in COMMENT ON and in ALTER. */
export interface KindWords {
  readonly comment: string;
  readonly alter: string;
  /** The source was not read; the kind is the catalogue's word. */
  readonly assumed: boolean;
}

/** What differs between the systems that say COMMENT ON … IS and ALTER … OWNER TO. */
export interface PlanRules {
  /** The system's name, for messages. */
  readonly system: string;
  /** Bytes of a description at the most. */
  readonly descriptionBytes: number;
  /** How its owners are called: `role`, `user`. */
  readonly principal: string;
  /** The words for the object, or why this aspect of it cannot be written. */
  words(operation: Operation, source: SourceObject | undefined): Result<KindWords, Refusal>;
}

/** Makes the planner of a system: operation → the one statement that makes it true. Pure. */
export function statementPlanner(rules: PlanRules, dialect: Dialect): Connector['plan'] {
  return (operation, source, options) => planWith(rules, dialect, operation, source, options);
}

function planWith(
  rules: PlanRules,
  dialect: Dialect,
  operation: Operation,
  source: SourceObject | undefined,
  options: PlanOptions,
): Planned {
  const { system } = rules;
  if (options.template !== undefined) return planTemplate(dialect, operation, options.template);
  if (operation.aspect === 'tags') {
    return refuse('unsupported', 'no-tags', `${system} has no tags; a template can write them somewhere of your own.`);
  }
  const { object } = operation;
  if (object.level === 'column' && object.column?.length !== 1) {
    return refuse('unsupported', 'nested-column', `${system} has no comments on fields inside a column.`);
  }
  if (operation.aspect === 'owners' && object.level === 'column') {
    return refuse('unsupported', 'column-owner', `In ${system} a column has no owner of its own.`);
  }
  if (source?.exists === false) {
    const failure = missingFailure(source);
    return err({ outcome: failure.class === 'unsupported' ? 'skipped' : 'failed', failure });
  }
  const words = rules.words(operation, source);
  if (!words.ok) return words;
  const planned =
    operation.aspect === 'description'
      ? planDescription(rules, dialect, operation, words.value.comment, options)
      : planOwner(rules, dialect, operation, words.value.alter);
  if (!planned.ok || !words.value.assumed) return planned;
  const note = `The kind of object (${words.value.comment.toLowerCase()}) is taken from the catalogue; the source decides when it is written.`;
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
  rules: PlanRules,
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
  const fitted = fitText(text, { max: rules.descriptionBytes, unit: 'bytes' }, options.overlong ?? 'cut');
  if (!fitted.ok) return refuse('invalid', 'description-too-long', fitted.error);
  const literal = fitted.value.text === text ? whole : dialect.quoteLiteral(fitted.value.text);
  if (!literal.ok)
    return refuse('invalid', literal.error.code, `The description cannot be written: ${literal.error.message}.`);
  return ok({
    statements: [`COMMENT ON ${address.value} IS ${literal.value}`],
    notes: fitted.value.note === undefined ? [] : [fitted.value.note],
    value: fitted.value.text,
  });
}

function planOwner(rules: PlanRules, dialect: Dialect, operation: OwnersOperation, keyword: string): Planned {
  const { system, principal } = rules;
  if (operation.principal === undefined || operation.principal === '') {
    return refuse(
      'unsupported',
      'owner-required',
      `An object in ${system} always has an owner: it can be given to another ${principal}, but not be left without one.`,
    );
  }
  const address = addressOf(dialect, operation.object, keyword);
  if (!address.ok) return address;
  const name = dialect.quoteIdentifier(operation.principal);
  if (!name.ok) {
    const message = `The owner's ${principal} cannot be named: ${name.error.message}.`;
    return refuse('invalid', `${principal}-${name.error.code}`, message);
  }
  return ok({ statements: [`ALTER ${address.value} OWNER TO ${name.value}`], notes: [], value: operation.principal });
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

/** What is unsupported is skipped, everything else failed. */
export function refuse(failureClass: FailureClass, code: string, message: string): Result<never, Refusal> {
  const failure: Failure = { class: failureClass, scope: 'object', code, message };
  return err({ outcome: failureClass === 'unsupported' ? 'skipped' : 'failed', failure });
}
