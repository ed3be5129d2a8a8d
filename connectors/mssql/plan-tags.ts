import type { Tag, TagsOperation } from '../../src/domain/operation.ts';
import { ok, type Result } from '../../src/domain/result.ts';
import type { Refusal, SourceObject } from '../contract.ts';
import { mssqlDialect, NAME_UNITS } from '../dialect/mssql-dialect.ts';
import { planClassification } from './classification.ts';
import { detailOf } from './detail.ts';
import { dropProperty, setProperty } from './property.ts';
import { refuse } from './refuse.ts';
import { PROPERTY_UNITS } from './spec.ts';
import type { Step, Steps } from './step.ts';
import { propertyValue, tagProperty } from './tag-property.ts';
import type { Target } from './target.ts';

/**
 * One extended property `tag:<key>` for each tag key; several values of a key stand one per line. Values that are neither wanted nor to
 * be unset are somebody else's and stay. On a column of a table the keys of the connection's rule become its sensitivity classification.
 */
export function planTags(
  operation: TagsOperation,
  target: Target,
  source: SourceObject | undefined,
): Result<Steps, Refusal> {
  const detail = detailOf(source);
  const isTableColumn = operation.object.level === 'column' && target.kind === 'table';
  const rule = isTableColumn ? detail?.rule : undefined;
  const classified = (key: string) => rule !== undefined && (key === rule.label || key === rule.informationType);
  const steps: Step[] = [];
  for (const key of keysOf(operation)) {
    if (classified(key)) continue;
    const name = tagProperty(key);
    const present = (source?.tags ?? []).filter((tag) => tag.key === key).map(({ value }) => value);
    const exists = detail === undefined ? undefined : detail.properties.includes(name);
    const unset = new Set(valuesOf(operation.unset, key));
    const wanted = [...present.filter((value) => !unset.has(value)), ...valuesOf(operation.desired, key)];
    const value = propertyValue(wanted);
    const problem = unwritable(key, name, wanted, value);
    if (problem !== undefined) return problem;
    if (wanted.length > 0) {
      if (exists !== true || value !== propertyValue(present)) {
        steps.push(setProperty(name, value, target, exists === true ? 'update' : 'add'));
      }
    } else if (exists !== false) {
      steps.push(dropProperty(name, target));
    }
  }
  if (rule === undefined) return ok({ steps, notes: [] });
  const classification = planClassification(operation, target, rule, detail?.classification);
  return classification.ok ? ok({ steps: [...steps, ...classification.value], notes: [] }) : classification;
}

function keysOf({ desired, unset }: TagsOperation): readonly string[] {
  return [...new Set([...desired, ...unset].map(({ key }) => key))].sort();
}

function valuesOf(tags: readonly Tag[], key: string): readonly string[] {
  return tags.filter((tag) => tag.key === key).map(({ value }) => value);
}

function unwritable(
  key: string,
  name: string,
  values: readonly string[],
  value: string,
): Result<never, Refusal> | undefined {
  for (const text of [key, ...values]) {
    const quoted = mssqlDialect.quoteLiteral(text);
    if (!quoted.ok)
      return refuse('invalid', `tag-${quoted.error.code}`, `The tag cannot be written: ${quoted.error.message}.`);
  }
  if (values.some((one) => one === '' || one.includes('\n'))) {
    return refuse('invalid', 'tag-value', "A tag's value is empty or holds a line break, which separates values here.");
  }
  if (name.length > NAME_UNITS) {
    return refuse(
      'invalid',
      'tag-key-too-long',
      `The tag's key has ${key.length} UTF-16 units; ${NAME_UNITS - 4} are possible.`,
    );
  }
  if (value.length > PROPERTY_UNITS) {
    return refuse(
      'invalid',
      'tag-value-too-long',
      `The values of a tag have ${value.length} UTF-16 units; ${PROPERTY_UNITS} are possible.`,
    );
  }
  return undefined;
}
