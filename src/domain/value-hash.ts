import { createHash } from 'node:crypto';
import { ownerIdentity, tagIdentity } from './labels.ts';
import type { FieldValue } from './ledger.ts';
import type { OwnerReference, TagLabel } from './snapshot.ts';

/** Stands for a value that is absent or empty. */
export const NO_VALUE = '-';

/**
 * Short hash (96 bits, base64url) of a text or a set of strings; order does not count in a set. Absent and empty values,
 * which no source system tells apart, all give `NO_VALUE`.
 */
export function valueHash(value: string | undefined | readonly string[]): string {
  if (value === undefined || value.length === 0) return NO_VALUE;
  const text = typeof value === 'string' ? `t${value}` : `l${JSON.stringify([...value].sort())}`;
  return createHash('sha256').update(text, 'utf16le').digest('base64url').slice(0, 16);
}

export function tagsHash(tags: readonly TagLabel[]): string {
  return valueHash(tags.map(tagIdentity));
}

export function ownersHash(owners: readonly OwnerReference[]): string {
  return valueHash(owners.map((owner) => `${ownerIdentity(owner)}${owner.inherited ? '~' : ''}`));
}

/** The hash of a field's value as a `Settlement` carries it; undefined where the value is not known. */
export function fieldValueHash(value: FieldValue): string | undefined {
  if (!value.known) return undefined;
  if (value.aspect === 'description') return valueHash(value.text);
  return value.aspect === 'tags' ? tagsHash(value.tags) : ownersHash(value.owners);
}
