import { formatFqnPart, parseFqn } from '../domain/fqn.ts';
import { isJsonObject, type Json } from '../domain/json.ts';
import type { Column, Snapshot, TagLabel } from '../domain/snapshot.ts';
import type { EntityDocument } from './channel.ts';

/**
 * The documents made last: snapshots never change, and all channels look at the state after a change and the one before it. (A weak map
 * of all snapshots costs each collection of new objects more than it saves.)
 */
let made: readonly { readonly snapshot: Snapshot; readonly document: EntityDocument }[] = [];
const KEPT = 2;

/**
 * The one normalised document that filters are evaluated on; its fields are described by `VOCABULARY`.
 * Tags and owners that the snapshot does not carry read as empty lists: whether that may be trusted is for the caller
 * to say (`Filter.needsTags`).
 */
export function entityDocument(snapshot: Snapshot): EntityDocument {
  const known = made.find((one) => one.snapshot === snapshot);
  if (known !== undefined) return known.document;
  const document = build(snapshot);
  made = [{ snapshot, document }, ...made.slice(0, KEPT - 1)];
  return document;
}

function build(snapshot: Snapshot): EntityDocument {
  const { extra } = snapshot;
  const tags = (snapshot.tags ?? []).map(tagDocument);
  const serviceFqn = formatFqnPart(snapshot.service);
  const databaseFqn = `${serviceFqn}.${formatFqnPart(snapshot.database)}`;
  return {
    entityType: snapshot.entityType,
    name: snapshot.name,
    displayName: snapshot.displayName ?? snapshot.name,
    fullyQualifiedName: snapshot.fqn,
    description: snapshot.description ?? '',
    service: { name: snapshot.service, fullyQualifiedName: serviceFqn, type: snapshot.serviceType ?? null },
    serviceType: snapshot.serviceType ?? null,
    database: { name: snapshot.database, fullyQualifiedName: databaseFqn },
    databaseSchema:
      snapshot.schema === undefined
        ? null
        : { name: snapshot.schema, fullyQualifiedName: `${databaseFqn}.${formatFqnPart(snapshot.schema)}` },
    tableType: snapshot.tableType ?? null,
    owners: (snapshot.owners ?? []).map((owner) => ({
      name: owner.name,
      fullyQualifiedName: owner.name,
      type: owner.type,
      displayName: owner.displayName ?? owner.name,
      inherited: owner.inherited,
    })),
    reviewers: references(extra.reviewers),
    domains: snapshot.domains.map(namedDocument),
    dataProducts: references(extra.dataProducts).map(({ name, fullyQualifiedName }) => ({ name, fullyQualifiedName })),
    tags,
    tier: tierOf(tags),
    certification: certificationOf(extra.certification),
    extension: snapshot.extension,
    columns: columnDocuments(snapshot.columns, snapshot.fqn),
    entityStatus: textOrNull(extra.entityStatus),
    sourceUrl: textOrNull(extra.sourceUrl),
    retentionPeriod: textOrNull(extra.retentionPeriod),
    deleted: snapshot.deleted,
    version: snapshot.version,
    updatedAt: snapshot.updatedAt,
    updatedBy: snapshot.updatedBy ?? null,
  };
}

interface TagDocument {
  readonly tagFQN: string;
  readonly classification: string;
  readonly name: string;
  readonly source: string;
  readonly labelType: string;
  readonly state: string;
}

function tagDocument(label: TagLabel): TagDocument {
  const parts = fqnParts(label.tagFQN);
  return {
    tagFQN: label.tagFQN,
    classification: parts[0] ?? '',
    name: parts.at(-1) ?? '',
    source: label.source,
    labelType: label.labelType,
    state: label.state,
  };
}

function tierOf(tags: readonly TagDocument[]): { tagFQN: string; name: string } | null {
  const tier = tags.find((tag) => tag.source === 'Classification' && tag.classification === 'Tier');
  return tier === undefined ? null : { tagFQN: tier.tagFQN, name: tier.name };
}

/** OpenMetadata sends `{ tagLabel: { tagFQN } }`. */
function certificationOf(sent: Json | undefined): { tagFQN: string; name: string } | null {
  if (!isJsonObject(sent) || !isJsonObject(sent.tagLabel)) return null;
  const fqn = sent.tagLabel.tagFQN;
  return typeof fqn === 'string' ? { tagFQN: fqn, name: fqnParts(fqn).at(-1) ?? fqn } : null;
}

function namedDocument(fqn: string): { name: string; fullyQualifiedName: string } {
  return { name: fqnParts(fqn).at(-1) ?? fqn, fullyQualifiedName: fqn };
}

interface ReferenceDocument {
  readonly name: string;
  readonly fullyQualifiedName: string;
  readonly type: string | null;
  readonly displayName: string;
}

function references(sent: Json | undefined): ReferenceDocument[] {
  if (!Array.isArray(sent)) return [];
  return sent.flatMap((item) => {
    if (!isJsonObject(item) || typeof item.name !== 'string') return [];
    const { name } = item;
    return [
      {
        name,
        fullyQualifiedName: textOrNull(item.fullyQualifiedName) ?? name,
        type: textOrNull(item.type),
        displayName: textOrNull(item.displayName) ?? name,
      },
    ];
  });
}

/** Nested columns stand in the list behind the column that holds them. */
function columnDocuments(columns: readonly Column[], fqn: string): Readonly<Record<string, unknown>>[] {
  const list: Readonly<Record<string, unknown>>[] = [];
  const pending = [...columns].reverse();
  for (let column = pending.pop(); column !== undefined; column = pending.pop()) {
    const path = column.path.map(formatFqnPart).join('.');
    list.push({
      name: column.name,
      path,
      fullyQualifiedName: `${fqn}.${path}`,
      description: column.description ?? '',
      dataType: column.dataType,
      tags: column.tags.map(tagDocument),
    });
    pending.push(...[...column.children].reverse());
  }
  return list;
}

function textOrNull(value: Json | undefined): string | null {
  return typeof value === 'string' ? value : null;
}

/** The unquoted parts; a text that is no FQN is one part. */
function fqnParts(fqn: string): readonly string[] {
  const parts = parseFqn(fqn);
  return parts.ok ? parts.value : [fqn];
}
