import { z } from 'zod';
import { suggestion } from './did-you-mean.ts';
import type { ConfigPath, ConfigProblem } from './problem.ts';

type Issue = z.core.$ZodIssue;

/** Names that people write for ours; a distance between letters would not find them. */
const SYNONYMS: Readonly<Record<string, string>> = {
  filters: 'filter',
  sql: 'template',
  sqlTemplate: 'template',
  SQLTemplate: 'template',
  sink: 'sinkService',
  includes: 'include',
  excludes: 'exclude',
  includePattern: 'include',
  services: 'targets',
  config: 'connection',
};

/** zod's issues as problems for people: unknown keys with what was meant, wrong kinds with what is wanted. */
export function schemaProblems(
  schema: z.core.$ZodType,
  issues: readonly Issue[],
  base: ConfigPath = [],
): ConfigProblem[] {
  return issues.flatMap((issue) => issueProblems(schema, issue, base));
}

function issueProblems(schema: z.core.$ZodType, issue: Issue, base: ConfigPath): ConfigProblem[] {
  const inner = issue.path.map((part) => (typeof part === 'number' ? part : String(part)));
  const path = [...base, ...inner];
  if (issue.code === 'unrecognized_keys') {
    const known = keysAt(schema, inner);
    return issue.keys.map((key) => {
      const synonym = Object.hasOwn(SYNONYMS, key) ? SYNONYMS[key] : undefined;
      const hint =
        synonym !== undefined && known.includes(synonym)
          ? `did you mean ${JSON.stringify(synonym)}?`
          : suggestion(key, known, 'known keys here');
      return { path: [...path, key], message: `unknown key ${JSON.stringify(key)}`, hint };
    });
  }
  if (issue.code === 'invalid_value') {
    const values = issue.values.map(String);
    return [{ path, message: `must be one of: ${values.join(', ')}` }];
  }
  if (issue.code === 'invalid_union') {
    const nested = issue.errors.find((errors) => errors.length > 0 && errors.every((error) => error.path.length > 0));
    if (nested !== undefined) return nested.flatMap((error) => issueProblems(schema, error, path));
  }
  if (issue.code === 'invalid_type') return [{ path, ...wrongType(issue.expected, issue.message) }];
  return [{ path, message: lowerFirst(issue.message) }];
}

function wrongType(expected: string, message: string): { message: string; hint?: string } {
  if (message.includes('received undefined')) return { message: `is missing; a value of kind ${expected} is needed` };
  const kinds: Readonly<Record<string, string>> = {
    string: 'must be a text',
    number: 'must be a number',
    int: 'must be a whole number',
    boolean: 'must be true or false',
    array: 'must be a list',
    object: 'must be a map of keys and values',
    record: 'must be a map of keys and values',
  };
  const known = Object.hasOwn(kinds, expected) ? kinds[expected] : undefined;
  if (known === undefined) return { message: lowerFirst(message) };
  const hint =
    expected === 'string' ? 'put quotes around it' : expected === 'array' ? 'begin each entry with "- "' : undefined;
  return hint === undefined ? { message: known } : { message: known, hint };
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}

/** The keys that the schema knows at a path. */
function keysAt(schema: z.core.$ZodType, path: readonly (string | number)[]): readonly string[] {
  let current: z.core.$ZodType | undefined = schema;
  for (const part of path) {
    current = unwrap(current);
    if (current instanceof z.ZodObject) current = typeof part === 'string' ? current.shape[part] : undefined;
    else if (current instanceof z.ZodArray) current = current.element;
    else if (current instanceof z.ZodRecord) current = current.valueType;
    else return [];
  }
  const found = unwrap(current);
  return found instanceof z.ZodObject ? Object.keys(found.shape) : [];
}

function unwrap(schema: z.core.$ZodType | undefined): z.core.$ZodType | undefined {
  let current = schema;
  while (current instanceof z.ZodOptional || current instanceof z.ZodDefault || current instanceof z.ZodNullable) {
    current = current.unwrap();
  }
  // Of several forms only the map has keys.
  return current instanceof z.ZodUnion ? current.options.find((option) => option instanceof z.ZodObject) : current;
}
