import { isJsonObject, type Json } from './json.ts';
import type { OwnerReference, TagLabel } from './snapshot.ts';

const NONE: readonly never[] = [];

/** Labels as OpenMetadata attaches them, each (`source`, `tagFQN`) once; what is no label is left out. */
export function readTagLabels(value: Json | undefined): readonly TagLabel[] {
  const list = asList(value);
  if (list.length === 0) return NONE;
  const byIdentity = new Map<string, TagLabel>();
  for (const item of list) {
    if (!isJsonObject(item) || typeof item.tagFQN !== 'string' || item.tagFQN === '') continue;
    const label: TagLabel = {
      tagFQN: item.tagFQN,
      source: item.source === 'Glossary' ? 'Glossary' : 'Classification',
      labelType: typeof item.labelType === 'string' ? item.labelType : 'Manual',
      state: typeof item.state === 'string' ? item.state : 'Confirmed',
    };
    // The first of two equal labels stays: servers around 1.10 send duplicates.
    if (!byIdentity.has(tagIdentity(label))) byIdentity.set(tagIdentity(label), label);
  }
  return [...byIdentity.values()];
}

/** What makes two labels the same label. */
export function tagIdentity(label: Pick<TagLabel, 'source' | 'tagFQN'>): string {
  return `${label.source}:${label.tagFQN}`;
}

/** The labels of the first list that the second does not contain. */
export function withoutTags(labels: readonly TagLabel[], gone: readonly TagLabel[]): readonly TagLabel[] {
  if (gone.length === 0) return labels;
  const identities = new Set(gone.map(tagIdentity));
  return labels.filter((label) => !identities.has(tagIdentity(label)));
}

/** Both lists, each label once. */
export function unionOfTags(first: readonly TagLabel[], second: readonly TagLabel[]): readonly TagLabel[] {
  if (first.length === 0) return second;
  return [...first, ...withoutTags(second, first)];
}

/** Entity references of people and teams; a single reference (servers up to 1.4) counts as a list of one. */
export function readOwners(value: Json | undefined): readonly OwnerReference[] {
  const list = asList(value);
  if (list.length === 0) return NONE;
  const owners: OwnerReference[] = [];
  const seen = new Set<string>();
  for (const item of list) {
    if (!isJsonObject(item)) continue;
    const name = typeof item.name === 'string' ? item.name : item.fullyQualifiedName;
    if (typeof name !== 'string') continue;
    const id = typeof item.id === 'string' ? item.id : '';
    const type = typeof item.type === 'string' ? item.type : 'user';
    const identity = ownerIdentity({ id, type, name });
    if (seen.has(identity)) continue;
    seen.add(identity);
    owners.push({
      id,
      type,
      name,
      ...(typeof item.displayName === 'string' ? { displayName: item.displayName } : {}),
      inherited: item.inherited === true,
    });
  }
  return owners;
}

/** What makes two references the same owner. */
export function ownerIdentity(owner: Pick<OwnerReference, 'id' | 'type' | 'name'>): string {
  return `${owner.type}:${owner.id === '' ? owner.name : owner.id}`;
}

/** The owners of the first list that the second does not contain. */
export function withoutOwners(
  owners: readonly OwnerReference[],
  gone: readonly OwnerReference[],
): readonly OwnerReference[] {
  const identities = new Set(gone.map(ownerIdentity));
  return owners.filter((owner) => !identities.has(ownerIdentity(owner)));
}

function asList(value: Json | undefined): readonly Json[] {
  if (value === undefined || value === null) return NONE;
  return Array.isArray(value) ? value : [value];
}
