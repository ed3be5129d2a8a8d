import { parseFqn } from '../domain/fqn.ts';
import type { Tag } from '../domain/operation.ts';
import { err, ok, type Result } from '../domain/result.ts';
import type { TagLabel } from '../domain/snapshot.ts';

/** Which labels become tags of the source system. */
export interface TagRules {
  /** Glossary terms are written like tags (key: the glossary, value: the rest of the term's name). */
  readonly glossary: boolean;
  /** Labels that the catalogue derived from others (a glossary term's tags) are written too. */
  readonly derived: boolean;
  /** Classifications that are never written: steering information of the catalogue, and what ingestion makes of policy tags. */
  readonly skipClassifications: ReadonlySet<string>;
}

export const DEFAULT_TAG_RULES: TagRules = {
  glossary: false,
  derived: false,
  skipClassifications: new Set(['Tier', 'Certification', 'BigqueryPolicyTags', 'PostgresPolicyTags']),
};

/** Why a set of labels cannot be written as tags. */
export interface TagProblem {
  readonly reason: string;
}

/**
 * The labels that are written, as key (classification) and value (name of the tag), sorted by key, each once.
 * Suggested labels are never written. A key holds one value in the source systems, so two values of one classification
 * are a problem and not a choice.
 */
export function managedTags(
  labels: readonly TagLabel[],
  rules: TagRules = DEFAULT_TAG_RULES,
): Result<readonly Tag[], TagProblem> {
  const values = new Map<string, string>();
  for (const label of labels) {
    if (!isManaged(label, rules)) continue;
    const parts = parseFqn(label.tagFQN);
    const [key, ...rest] = parts.ok ? parts.value : [];
    if (key === undefined || key === '' || rest.length === 0) {
      return err({
        reason: `the label ${JSON.stringify(label.tagFQN)} has no classification and name to write as key and value`,
      });
    }
    if (label.source === 'Classification' && rules.skipClassifications.has(key)) continue;
    const value = rest.join('.');
    const other = values.get(key);
    if (other !== undefined && other !== value) {
      const both = [other, value].sort().join(' and ');
      return err({
        reason: `the classification ${JSON.stringify(key)} has several tags (${both}), and a tag key of the source holds one value; make the classification mutually exclusive or remove one`,
      });
    }
    values.set(key, value);
  }
  return ok([...values].map(([key, value]) => ({ key, value })).sort((a, b) => (a.key < b.key ? -1 : 1)));
}

function isManaged(label: TagLabel, rules: TagRules): boolean {
  if (label.state === 'Suggested') return false;
  if (label.source === 'Glossary' && !rules.glossary) return false;
  return label.labelType !== 'Derived' || rules.derived;
}
