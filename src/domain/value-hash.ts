import { hash } from 'node:crypto';
import { ownerIdentity, tagIdentity } from './labels.ts';
import type { FieldValue } from './ledger.ts';
import type { OwnerReference, TagLabel } from './snapshot.ts';

/** Stands for a value that is absent or empty. */
export const NO_VALUE = '-';

/** What can be hashed: a text, or a set of strings, labels or owners. */
export type HashableValue = string | undefined | readonly (string | TagLabel | OwnerReference)[];

/**
 * Short hash (96 bits, base64url) of a text or a set; order does not count in a set, and of labels and owners only their
 * identity. Absent and empty values, which no source system tells apart, all give `NO_VALUE`.
 */
export function valueHash(value: HashableValue): string {
  if (value === undefined || value.length === 0) return NO_VALUE;
  if (typeof value !== 'string') return hashed(`l${JSON.stringify(value.map(identity).sort())}`);
  const known = recentTexts.get(value);
  if (known !== undefined) return known;
  const result = hashed(`t${value}`);
  if (value.length > REMEMBERED_LENGTH) return result;
  if (recentTexts.size >= REMEMBERED) recentTexts.clear();
  recentTexts.set(value, result);
  return result;
}

/** One text is hashed at several stations of its change's way, so those hashed lately are remembered. */
const recentTexts = new Map<string, string>();
const REMEMBERED = 1_000;
const REMEMBERED_LENGTH = 1_000;

function hashed(text: string): string {
  return hash('sha256', Buffer.from(text, 'utf16le'), 'base64url').slice(0, 16);
}

/** The hash of a field's value as a `Settlement` carries it; undefined where the value is not known. */
export function fieldValueHash(value: FieldValue): string | undefined {
  if (!value.known) return undefined;
  if (value.aspect === 'description') return valueHash(value.text);
  return valueHash(value.aspect === 'tags' ? value.tags : value.owners);
}

function identity(item: string | TagLabel | OwnerReference): string {
  if (typeof item === 'string') return item;
  return 'tagFQN' in item ? tagIdentity(item) : `${ownerIdentity(item)}${item.inherited ? ' inherited' : ''}`;
}
