import { closest, distance } from 'fastest-levenshtein';
import type { Aspect, Level } from '../domain/entity.ts';
import type { TemplateValues } from './template.ts';

/** What a variable is where it stands bare; `inside` has no bare form and stands only in a string. */
export type VariableKind = 'identifier' | 'literal' | 'inside' | 'list';

export interface Variable {
  readonly name: string;
  readonly kind: VariableKind;
  /** The member of `TemplateValues` that holds it. */
  readonly value: keyof TemplateValues;
  /** Set for the names of objects. */
  readonly level?: Level;
  /** Set for what only changes of one aspect carry. */
  readonly aspect?: Aspect;
  /** Absent means empty, not missing: a description that was cleared. */
  readonly clearable?: boolean;
}

const LIST: readonly Variable[] = [
  { name: 'database', kind: 'identifier', value: 'database', level: 'database' },
  { name: 'catalog', kind: 'identifier', value: 'database', level: 'database' },
  { name: 'schema', kind: 'identifier', value: 'schema', level: 'schema' },
  { name: 'table', kind: 'identifier', value: 'table', level: 'table' },
  { name: 'column', kind: 'identifier', value: 'column', level: 'column' },
  { name: 'description', kind: 'literal', value: 'description', aspect: 'description', clearable: true },
  {
    name: 'previous_description',
    kind: 'literal',
    value: 'previous_description',
    aspect: 'description',
    clearable: true,
  },
  { name: 'owner', kind: 'identifier', value: 'owner', aspect: 'owners' },
  { name: 'tag_key', kind: 'identifier', value: 'tag_key', aspect: 'tags' },
  { name: 'tag_value', kind: 'literal', value: 'tag_value', aspect: 'tags' },
  { name: 'tags', kind: 'list', value: 'tags', aspect: 'tags' },
  { name: 'data_type', kind: 'inside', value: 'data_type' },
  { name: 'service', kind: 'literal', value: 'service' },
];

/** The variables of the template language by name. */
export const VARIABLES: ReadonlyMap<string, Variable> = new Map(LIST.map((variable) => [variable.name, variable]));

/** What to write instead of a name that is no variable. */
export function hintFor(name: string): string {
  const names = [...VARIABLES.keys()];
  const wanted = name.trim().toLowerCase();
  const near = closest(wanted, names);
  const related = names.find((known) => wanted.length >= 3 && (known.startsWith(wanted) || wanted.startsWith(known)));
  const guess = distance(wanted, near) <= Math.max(2, Math.floor(near.length / 3)) ? near : related;
  if (guess !== undefined) return `did you mean {${guess}}?`;
  return `the variables are ${names.map((known) => `{${known}}`).join(', ')}; a brace itself is written {{ or }}`;
}
