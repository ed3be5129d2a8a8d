import { readFileSync, statSync } from 'node:fs';
import { BackflowError } from '../domain/failure.ts';
import { isJsonObject, type Json } from '../domain/json.ts';
import { type ConfigPath, formatPath } from './problem.ts';
import { parseReferences, type TextPart } from './secret-reference.ts';

/** Bytes that a secret's file may have (a certificate chain fits many times over). */
const MAX_SECRET_BYTES = 1024 * 1024;

/** A reference of a connection that cannot be resolved. Names the variable or file and the place, never a value. */
export class SecretError extends BackflowError {
  readonly path: ConfigPath;

  constructor(
    code: 'missing-variable' | 'unreadable-file' | 'bad-reference',
    path: ConfigPath,
    message: string,
    cause?: unknown,
  ) {
    super(code, 'auth', `${formatPath(path)}: ${message}`, cause === undefined ? undefined : { cause });
    this.path = path;
  }
}

/** Where references are looked up. */
export interface SecretSources {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Gives the text of a file; throws when it cannot. */
  readonly readFile: (path: string) => string;
}

/** The environment and the files of this process. */
export function processSecrets(): SecretSources {
  return { env: process.env, readFile: readSecretFile };
}

/**
 * Replaces the references in the texts of a value. This happens after parsing, so what a variable holds is always one text
 * and never structure. Throws `SecretError`.
 */
export function resolveSecrets(value: Json, sources: SecretSources, path: ConfigPath = []): Json {
  if (typeof value === 'string') return resolveText(value, sources, path);
  if (Array.isArray(value)) return value.map((item: Json, index) => resolveSecrets(item, sources, [...path, index]));
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value).map(([key, item]) => [
    key,
    resolveSecrets(item ?? null, sources, [...path, key]),
  ]);
  return Object.fromEntries(entries);
}

function resolveText(text: string, sources: SecretSources, path: ConfigPath): string {
  const parts = parseReferences(text);
  if (!parts.ok) throw new SecretError('bad-reference', path, parts.error);
  return parts.value.map((part) => resolvePart(part, sources, path)).join('');
}

function resolvePart(part: TextPart, sources: SecretSources, path: ConfigPath): string {
  switch (part.kind) {
    case 'text':
      return part.text;
    case 'env': {
      const value = Object.hasOwn(sources.env, part.name) ? sources.env[part.name] : undefined;
      if (value !== undefined) return value;
      if (part.fallback !== undefined) return part.fallback;
      throw new SecretError(
        'missing-variable',
        path,
        `the environment variable ${part.name} is not set; set it for this process`,
      );
    }
    case 'file':
      try {
        return sources.readFile(part.path).replace(/\r?\n$/, '');
      } catch (cause) {
        const message = `the file ${part.path} cannot be read; check that it exists and that this process may read it`;
        throw new SecretError('unreadable-file', path, message, cause);
      }
  }
}

function readSecretFile(path: string): string {
  const { size } = statSync(path);
  if (size > MAX_SECRET_BYTES) throw new RangeError(`larger than ${MAX_SECRET_BYTES} bytes`);
  return readFileSync(path, 'utf8');
}
