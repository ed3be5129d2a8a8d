import type { TagsOperation } from '../../src/domain/operation.ts';
import { ok, type Result } from '../../src/domain/result.ts';
import type { Refusal } from '../contract.ts';
import { mssqlDialect, NAME_UNITS } from '../dialect/mssql-dialect.ts';
import type { ClassificationRule } from './config.ts';
import type { Classification } from './detail.ts';
import { refuse } from './refuse.ts';
import type { Step } from './step.ts';
import type { Target } from './target.ts';

type Part = 'label' | 'informationType';

/**
 * A column has one classification, and adding one overwrites all of it. So the parts that no tag of the operation is about (and the rank)
 * are restated as they are; the id of a part goes when the part changes.
 */
export function planClassification(
  operation: TagsOperation,
  target: Target,
  rule: ClassificationRule,
  present: Classification | undefined,
): Result<readonly Step[], Refusal> {
  const next: { -readonly [Key in keyof Classification]: Classification[Key] } = { ...present };
  for (const part of ['label', 'informationType'] as const) {
    const key = rule[part];
    if (key === undefined) continue;
    const wanted = wantedValue(operation, key, present?.[part]);
    if (!wanted.ok) return wanted;
    if (wanted.value === present?.[part]) continue;
    next[part] = wanted.value;
    next[`${part}Id`] = undefined;
  }
  const same = (['label', 'informationType'] satisfies Part[]).every((part) => next[part] === present?.[part]);
  if (same) return ok([]);
  if (next.label === undefined && next.informationType === undefined) {
    return ok([{ kind: 'text', text: `DROP SENSITIVITY CLASSIFICATION FROM ${target.quoted}` }]);
  }
  const options: string[] = [];
  for (const [name, value] of [
    ['LABEL', next.label],
    ['LABEL_ID', next.labelId],
    ['INFORMATION_TYPE', next.informationType],
    ['INFORMATION_TYPE_ID', next.informationTypeId],
  ] as const) {
    if (value === undefined) continue;
    const literal = mssqlDialect.quoteLiteral(value);
    if (!literal.ok)
      return refuse('invalid', `tag-${literal.error.code}`, `The tag cannot be written: ${literal.error.message}.`);
    if (value.length > NAME_UNITS) {
      return refuse(
        'invalid',
        'tag-value-too-long',
        `A part of a classification has at most ${NAME_UNITS} UTF-16 units.`,
      );
    }
    options.push(`${name} = ${literal.value}`);
  }
  if (next.rank !== undefined && /^[A-Z]+$/.test(next.rank)) options.push(`RANK = ${next.rank}`);
  const text = `ADD SENSITIVITY CLASSIFICATION TO ${target.quoted} WITH (${options.join(', ')})`;
  return ok([{ kind: 'text', text }]);
}

/** The value that a part has afterwards; a value that was neither wanted nor to be unset is somebody else's and stays. */
function wantedValue(
  operation: TagsOperation,
  key: string,
  present: string | undefined,
): Result<string | undefined, Refusal> {
  const values = operation.desired.filter((tag) => tag.key === key).map(({ value }) => value);
  if (new Set(values).size > 1) {
    return refuse(
      'invalid',
      'one-classification',
      `A column has one sensitivity classification, and the catalogue wants several values of ${key}.`,
    );
  }
  if (values[0] !== undefined) return ok(values[0]);
  const gone = operation.unset.some((tag) => tag.key === key && tag.value === present);
  return ok(gone ? undefined : present);
}
