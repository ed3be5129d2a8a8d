import type { ChangeEvent, FieldChange } from '../../src/domain/change-event.ts';
import type { JsonObject } from '../../src/domain/json.ts';
import type { Column, Snapshot } from '../../src/domain/snapshot.ts';

/** What people edit of the one table of this server; `''` is no description. */
export interface Content {
  readonly description: string;
  readonly tags: readonly string[];
  readonly owners: readonly string[];
  readonly columnDescription: string;
  readonly columnTags: readonly string[];
}

interface Version {
  readonly number: number;
  readonly updatedAt: number;
  readonly updatedBy: string;
  readonly content: Content;
}

const SESSION_MS = 600_000;
const COLUMN = 'amount';
export const TABLE = 'pg.shop.public.orders';

/**
 * Makes change events as OpenMetadata 1.12 was seen to: edits of one person within ten minutes share a version; an edit that gives
 * back what the version before held returns to that version, with its number, time, editor and snapshot; votes carry a snapshot
 * without tags and owners. `changeSummary` tells the true time of descriptions and owners that were set, not of tags and of what was only taken away.
 */
export class EditingServer {
  readonly events: ChangeEvent[] = [];
  readonly #versions: Version[];
  readonly #changedAt = new Map<string, number>();
  #ids = 0;

  constructor(now: number) {
    const content: Content = { description: '', tags: [], owners: [], columnDescription: '', columnTags: [] };
    this.#versions = [{ number: 0.1, updatedAt: now, updatedBy: 'admin', content }];
    this.#emit('entityCreated', 'admin', now, undefined, undefined);
  }

  get content(): Content {
    return this.#current.content;
  }

  /** The entity as a fresh read gives it. */
  snapshot(): Snapshot {
    return snapshotOf(this.#current);
  }

  /** One edit; gives no event when it changes nothing. */
  edit(user: string, now: number, change: Partial<Content>): void {
    const current = this.#current;
    const content = { ...current.content, ...change };
    const changes = diff(current.content, content);
    if (changes.length === 0) return;
    const before = this.#versions.at(-2);
    const inSession = current.updatedBy === user && now - current.updatedAt <= SESSION_MS && before !== undefined;
    for (const { name, newValue } of changes) {
      if (newValue !== undefined && !name.endsWith('tags')) this.#changedAt.set(name, now);
    }
    if (inSession && diff(before.content, content).length === 0) {
      this.#versions.pop();
      this.#emit('entityUpdated', user, before.updatedAt, current.number, changes);
    } else if (inSession) {
      this.#versions.splice(-1, 1, { ...current, updatedAt: now, content });
      this.#emit('entityUpdated', user, now, current.number, changes);
    } else {
      const number = Math.round(current.number * 10 + 1) / 10;
      this.#versions.push({ number, updatedAt: now, updatedBy: user, content });
      this.#emit('entityUpdated', user, now, current.number, changes);
    }
  }

  vote(user: string, now: number): void {
    this.#emit('entityUpdated', user, now, this.#current.number, [
      { kind: 'updated', name: 'votes', newValue: 'votedUp' },
    ]);
    const event = this.events.pop();
    if (event?.snapshot === undefined) return;
    const { tags: _tags, owners: _owners, ...rest } = event.snapshot;
    this.events.push({
      ...event,
      snapshot: { ...rest, columns: rest.columns.map((column) => ({ ...column, tags: [] })) },
    });
  }

  get #current(): Version {
    const current = this.#versions.at(-1);
    if (current === undefined) throw new Error('a server has at least one version');
    return current;
  }

  #emit(
    eventType: string,
    userName: string,
    timestamp: number,
    previousVersion: number | undefined,
    changes: readonly FieldChange[] | undefined,
  ): void {
    this.#ids += 1;
    this.events.push({
      id: `e${String(this.#ids).padStart(4, '0')}`,
      eventType,
      entityType: 'table',
      entityId: 'table-1',
      fqn: TABLE,
      service: 'pg',
      userName,
      timestamp,
      currentVersion: this.#current.number,
      ...(previousVersion === undefined ? {} : { previousVersion }),
      ...(changes === undefined ? {} : { changes }),
      changedAt: new Map(this.#changedAt),
      snapshot: snapshotOf(this.#current),
    });
  }
}

function snapshotOf({ number, updatedAt, updatedBy, content }: Version): Snapshot {
  const column: Column = {
    name: COLUMN,
    path: [COLUMN],
    dataType: 'INT',
    ...(content.columnDescription === '' ? {} : { description: content.columnDescription }),
    tags: content.columnTags.map(label),
    children: [],
  };
  return {
    entityId: 'table-1',
    entityType: 'table',
    fqn: TABLE,
    name: 'orders',
    service: 'pg',
    database: 'shop',
    schema: 'public',
    ...(content.description === '' ? {} : { description: content.description }),
    tags: content.tags.map(label),
    owners: content.owners.map(owner),
    domains: [],
    extension: {},
    columns: [column],
    version: number,
    updatedAt,
    updatedBy,
    deleted: false,
    extra: {},
  };
}

function diff(before: Content, after: Content): readonly FieldChange[] {
  return [
    ...textDiff('description', before.description, after.description),
    ...textDiff(`columns.${COLUMN}.description`, before.columnDescription, after.columnDescription),
    ...listDiff('tags', before.tags, after.tags, label),
    ...listDiff(`columns.${COLUMN}.tags`, before.columnTags, after.columnTags, label),
    ...listDiff('owners', before.owners, after.owners, owner),
  ];
}

function textDiff(name: string, before: string, after: string): FieldChange[] {
  if (before === after) return [];
  if (before === '') return [{ kind: 'added', name, newValue: after }];
  if (after === '') return [{ kind: 'deleted', name, oldValue: before }];
  return [{ kind: 'updated', name, oldValue: before, newValue: after }];
}

function listDiff(
  name: string,
  before: readonly string[],
  after: readonly string[],
  make: (item: string) => JsonObject,
): FieldChange[] {
  const added = after.filter((item) => !before.includes(item)).map(make);
  const removed = before.filter((item) => !after.includes(item)).map(make);
  const changes: FieldChange[] = [];
  if (added.length > 0) changes.push({ kind: 'added', name, newValue: added });
  if (removed.length > 0) changes.push({ kind: 'deleted', name, oldValue: removed });
  return changes;
}

function label(tagFQN: string) {
  return { tagFQN, source: 'Classification', labelType: 'Manual', state: 'Confirmed' } as const;
}

function owner(name: string) {
  return { id: `id-${name}`, type: 'user', name, inherited: false };
}
