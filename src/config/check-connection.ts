import type { z } from 'zod';
import { isJsonObject, type Json } from '../domain/json.ts';
import type { ConfigPath, ConfigProblem } from './problem.ts';
import { holdsPlainSecret, isSecret } from './redact.ts';
import { schemaProblems } from './schema-problems.ts';
import { hasReference, parseReferences } from './secret-reference.ts';

/**
 * Problems of a connection as it is configured. Secrets have to be references, because a configuration is stored and shown;
 * references have to be well formed; everything else has to fit the connector. What a reference stands for is unknown
 * here, so the connector's complaints about such a text wait until the connection is opened.
 */
export function checkConnection(connection: Json, schema: z.ZodType, place: ConfigPath): readonly ConfigProblem[] {
  const problems = [...textProblems(connection, false, place)];
  if (problems.length > 0) return problems;
  const parsed = schema.safeParse(connection);
  if (parsed.success) return [];
  const issues = parsed.error.issues.flatMap((issue) => relevant(issue, connection));
  return schemaProblems(schema, issues, place);
}

function* textProblems(value: Json, secret: boolean, path: ConfigPath): Generator<ConfigProblem> {
  if (typeof value === 'string') {
    const parts = parseReferences(value);
    if (!parts.ok)
      yield { path, message: parts.error, hint: `write \${NAME} or \${file:/path}; a plain "\${" is written "$\${"` };
    else if (isMasked(value)) {
      yield {
        path,
        message: 'the value is masked, as the catalogue shows secrets',
        hint: `write ${exampleReference(path)} and set that variable`,
      };
    } else if (holdsPlainSecret(value, secret) && value !== '') {
      yield {
        path,
        message: 'a secret stands here in the clear, and a configuration is stored and shown',
        hint: `write ${exampleReference(path)} and set that variable for the service, or use \${file:/path}`,
      };
    }
  } else if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) yield* textProblems(item, secret, [...path, index]);
  } else if (isJsonObject(value)) {
    for (const [key, item = null] of Object.entries(value)) {
      yield* textProblems(item, isSecret(key, item, secret), [...path, key]);
    }
  }
}

function isMasked(text: string): boolean {
  return /^\*{3,}$/.test(text);
}

/** `${PASSWORD}` for `connection.authType.password`. */
function exampleReference(path: ConfigPath): string {
  const last = path.findLast((part) => typeof part === 'string') ?? 'secret';
  const name = String(last)
    .replace(/([a-z])([A-Z])/g, '$1_$2')
    .replace(/[^A-Za-z0-9_]/g, '_')
    .toUpperCase();
  return `\${${name}}`;
}

/** The issue itself, what of a union is worth telling, or nothing where a reference stands at its place. */
function relevant(issue: z.core.$ZodIssue, connection: Json): z.core.$ZodIssue[] {
  const value = valueAt(connection, issue.path);
  if (typeof value === 'string' && hasReference(value)) return [];
  if (issue.code !== 'invalid_union') return [issue];
  const branches = issue.errors.map((errors) =>
    errors.flatMap((error) => relevant({ ...error, path: [...issue.path, ...error.path] }, connection)),
  );
  return branches.some((branch) => branch.length === 0) ? [] : [issue];
}

function valueAt(value: Json | undefined, path: readonly PropertyKey[]): Json | undefined {
  let current = value;
  for (const part of path) {
    if (Array.isArray(current)) current = current[Number(part)];
    else if (isJsonObject(current) && Object.hasOwn(current, part)) current = current[String(part)];
    else return undefined;
  }
  return current;
}
