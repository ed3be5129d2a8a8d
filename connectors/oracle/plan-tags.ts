import type { Tag, TagsOperation } from '../../src/domain/operation.ts';
import { ok, type Result } from '../../src/domain/result.ts';
import type { Plan, Refusal, SourceObject } from '../contract.ts';
import { oracleDialect, quoteOracleName } from '../dialect/oracle-dialect.ts';
import { annotationValue } from './annotation.ts';
import { type Charset, charsetNamed } from './charset.ts';
import { detailOf } from './detail.ts';
import { refuse } from './refuse.ts';
import { ANNOTATION_BYTES, ANNOTATION_NAME_BYTES } from './spec.ts';
import type { Target } from './target.ts';

/**
 * One annotation for each tag key, in one statement: `ALTER TABLE … ANNOTATIONS (ADD OR REPLACE "PII" 'Sensitive', DROP IF EXISTS "Old")`.
 * Several values of a key stand one per line. Values that are neither wanted nor to be unset are somebody else's and stay.
 */
export function planTags(
  operation: TagsOperation,
  target: Target,
  source: SourceObject | undefined,
): Result<Plan, Refusal> {
  const detail = detailOf(source);
  if (detail?.annotations === false) {
    return refuse(
      'unsupported',
      'no-annotations',
      'This version of Oracle has no annotations (23ai and 26ai have, and 19c from 19.28 on); a template can write tags somewhere of your own.',
    );
  }
  const charset = charsetNamed(detail?.charset ?? 'AL32UTF8');
  const clauses: string[] = [];
  for (const key of keysOf(operation)) {
    const present = source?.tags === undefined ? undefined : valuesOf(source.tags, key);
    const unset = new Set(valuesOf(operation.unset, key));
    const desired = valuesOf(operation.desired, key);
    const problem = unwritable(key, desired, charset);
    if (problem !== undefined) return problem;
    const value = annotationValue([...(present ?? []).filter((one) => !unset.has(one)), ...desired]);
    const clause = clauseFor(key, value, present);
    if (!clause.ok) return clause;
    if (clause.value !== undefined) clauses.push(clause.value);
  }
  const notes = detail === undefined ? [...target.notes, VERSION] : target.notes;
  return ok({ statements: clauses.length === 0 ? [] : [alter(target, clauses.join(', '))], notes });
}

const VERSION = 'Only 23ai and newer, and 19c from 19.28 on, have annotations; the server decides when it is written.';

/** Undefined: what stands there is right already. `present` undefined: nobody looked. */
function clauseFor(
  key: string,
  value: string,
  present: readonly string[] | undefined,
): Result<string | undefined, Refusal> {
  const name = quoteOracleName(key, ANNOTATION_NAME_BYTES);
  if (!name.ok)
    return refuse('invalid', `tag-${name.error.code}`, `The tag's key cannot be written: ${name.error.message}.`);
  if (value === '') {
    const gone = present?.every((one) => one === '') === true;
    return ok(gone ? undefined : `DROP IF EXISTS ${name.value}`);
  }
  if (present !== undefined && value === annotationValue(present)) return ok(undefined);
  if (Buffer.byteLength(value, 'utf8') > ANNOTATION_BYTES) {
    return refuse('invalid', 'tag-value-too-long', `The values of a tag have more than ${ANNOTATION_BYTES} bytes.`);
  }
  const text = oracleDialect.quoteLiteral(value);
  if (!text.ok) return refuse('invalid', `tag-${text.error.code}`, `The tag cannot be written: ${text.error.message}.`);
  return ok(`ADD OR REPLACE ${name.value} ${text.value}`);
}

function alter({ kind, address, column }: Target, clauses: string): string {
  const words = kind === 'materialized view' ? 'MATERIALIZED VIEW' : kind.toUpperCase();
  const annotations = `ANNOTATIONS (${clauses})`;
  return `ALTER ${words} ${address} ${column === undefined ? annotations : `MODIFY (${column} ${annotations})`}`;
}

function keysOf({ desired, unset }: TagsOperation): readonly string[] {
  return [...new Set([...desired, ...unset].map(({ key }) => key))].sort();
}

function valuesOf(tags: readonly Tag[], key: string): readonly string[] {
  return tags.filter((tag) => tag.key === key).map(({ value }) => value);
}

function unwritable(key: string, values: readonly string[], charset: Charset): Result<never, Refusal> | undefined {
  if (values.some((one) => one === '' || one.includes('\n'))) {
    return refuse('invalid', 'tag-value', "A tag's value is empty or holds a line break, which separates values here.");
  }
  for (const text of [key, ...values]) {
    if ([...text].every((character) => charset.holds(character))) continue;
    return refuse(
      'invalid',
      'tag-character-set',
      `The tag holds a character that the database's character set (${charset.name}) does not.`,
    );
  }
  return undefined;
}
