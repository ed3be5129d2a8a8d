import type { DescriptionOperation, Operation } from '../../src/domain/operation.ts';
import { ok, type Result } from '../../src/domain/result.ts';
import type { Plan, PlanOptions, Refusal, SourceObject } from '../contract.ts';
import { oracleDialect } from '../dialect/oracle-dialect.ts';
import { refuseText } from '../dialect/refusal.ts';
import { fitText } from '../text-limit.ts';
import { charsetNamed, representable } from './charset.ts';
import { detailOf } from './detail.ts';
import { planTags } from './plan-tags.ts';
import { refuse } from './refuse.ts';
import { COMMENT_BYTES } from './spec.ts';
import { type Target, targetOf } from './target.ts';
import { refuseTemplate } from './template-guard.ts';

/** What is assumed of a database that was not asked: every new one has it. */
const USUAL_CHARSET = 'AL32UTF8';

/** Turns an operation into the one statement that makes it true. Pure; `source` undefined: the catalogue's hints decide. */
export function planOracle(
  operation: Operation,
  source: SourceObject | undefined,
  options: PlanOptions,
): Result<Plan, Refusal> {
  if (options.template !== undefined) return planTemplate(operation, options.template);
  if (operation.aspect === 'owners') {
    return refuse(
      'unsupported',
      'no-owners',
      'In Oracle the owner of an object is the schema that it lies in; it cannot be given to somebody else.',
    );
  }
  const target = targetOf(operation.object, source, operation.aspect);
  if (!target.ok) return target;
  if (operation.aspect === 'tags') return planTags(operation, target.value, source);
  return planDescription(operation, target.value, source, options);
}

function planDescription(
  operation: DescriptionOperation,
  target: Target,
  source: SourceObject | undefined,
  options: PlanOptions,
): Result<Plan, Refusal> {
  const text = operation.text ?? '';
  const unsendable = refuseText(text);
  if (unsendable !== undefined) return refuse('invalid', unsendable.code, `${unsendable.message}.`);
  const charset = charsetNamed(detailOf(source)?.charset ?? USUAL_CHARSET);
  const held = representable(text, charset);
  const fitted = fitText(held.text, charset.limit(held.text, COMMENT_BYTES), options.overlong ?? 'cut');
  if (!fitted.ok) return refuse('invalid', 'description-too-long', fitted.error);
  // The mark of a cut has a character that not every character set holds.
  const value = representable(fitted.value.text, charset).text;
  const literal = oracleDialect.quoteLiteral(value);
  if (!literal.ok) return refuse('invalid', literal.error.code, literal.error.message);
  const notes = [...target.notes];
  if (held.lost > 0) {
    notes.push(
      `${held.lost} characters became question marks, which the database's character set (${charset.name}) does not hold.`,
    );
  }
  if (fitted.value.note !== undefined) notes.push(fitted.value.note);
  const statement = `COMMENT ON ${addressOf(target)} IS ${literal.value}`;
  return ok({ statements: [statement], notes, ...(value === '' ? {} : { value }) });
}

/** Views are commented as tables; a materialized view has a word of its own, and the other is refused for it (ORA-12098). */
function addressOf({ kind, address, column }: Target): string {
  if (column !== undefined) return `COLUMN ${address}.${column}`;
  return `${kind === 'materialized view' ? 'MATERIALIZED VIEW' : 'TABLE'} ${address}`;
}

/** A template's statements run as they are; what they bring about is only known for a description. */
function planTemplate(operation: Operation, statements: readonly string[]): Result<Plan, Refusal> {
  for (const statement of statements) {
    const problem = refuseTemplate(statement);
    if (problem !== undefined) return refuse('invalid', problem.code, problem.message);
  }
  const value = operation.aspect === 'description' ? operation.text : undefined;
  return ok({ statements, notes: [], ...(value === undefined || value === '' ? {} : { value }) });
}
