import { z } from 'zod';
import { BackflowError } from '../domain/failure.ts';
import { type ConfigDocument, configSchema } from './schema.ts';

const revisionSchema = z.object({
  v: z.literal(1),
  document: configSchema,
  /** Hash of the texts that it was made from. */
  hash: z.string().min(1),
  /** Epoch milliseconds. */
  at: z.number().int().nonnegative(),
  /** Who made it: a user, or the file that it came from. */
  by: z.string(),
});

/** One immutable revision of the configuration as it is stored; its number is given by the store. Holds references, never secrets. */
export interface StoredRevision {
  readonly v: 1;
  readonly document: ConfigDocument;
  readonly hash: string;
  readonly at: number;
  readonly by: string;
}

/** A stored revision that this version cannot read. */
export class RevisionError extends BackflowError {
  constructor(message: string, cause?: unknown) {
    super('unreadable-revision', 'invalid', message, cause === undefined ? undefined : { cause });
  }
}

export function encodeRevision(revision: StoredRevision): string {
  return JSON.stringify(revision);
}

/** Throws `RevisionError`. */
export function decodeRevision(text: string): StoredRevision {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new RevisionError('the stored configuration is no JSON; apply it again from its file', cause);
  }
  const parsed = revisionSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  const places = parsed.error.issues
    .slice(0, 5)
    .map((issue) => `${issue.path.join('.') || '(document)'}: ${issue.message}`);
  throw new RevisionError(
    `the stored configuration does not fit this version (${places.join('; ')}); apply it again from its file`,
  );
}
