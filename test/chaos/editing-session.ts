import { formatFqn } from '../../src/domain/fqn.ts';

/** A table of a source that is written to; with its two columns `a` and `b`. */
export interface ChaosTable {
  readonly service: string;
  readonly database: string;
  readonly schema: string;
  readonly name: string;
}

export type Part = 'table' | 'a' | 'b';
export const PARTS: readonly Part[] = ['table', 'a', 'b'];

/** One event to be published, `at` milliseconds after the beginning. */
export interface Publication {
  readonly at: number;
  readonly eventId: string;
  readonly body: string;
  /** `copy`: straight into CHANGES under another message id, as a copy that comes after the window of deduplication. */
  readonly way: 'webhook' | 'raw' | 'copy';
  readonly replica: number;
}

/** The edits of one part of a table in the order in which they were made; undefined: cleared. */
export interface EditedField {
  readonly table: ChaosTable;
  readonly part: Part;
  readonly edits: { readonly eventId: string; readonly value: string | undefined }[];
}

export interface EditingSession {
  readonly publications: readonly Publication[];
  readonly fields: readonly EditedField[];
}

const BURST_EVERY_MS = 1_500;

interface Draft {
  readonly table: ChaosTable;
  readonly values: Partial<Record<Part, string>>;
  version: number;
}

/**
 * Edits of many tables by two users, spread over `lastsMs`: texts set, changed, set back to an earlier one, cleared; events that come
 * late, so that neighbours overtake each other; events that come twice, and votes that change nothing.
 */
export function editingSession(
  random: () => number,
  tables: readonly ChaosTable[],
  { edits, lastsMs, startAt }: { readonly edits: number; readonly lastsMs: number; readonly startAt: number },
): EditingSession {
  const drafts = tables.map((table): Draft => ({ table, values: {}, version: 1 }));
  const fields = new Map<string, EditedField>();
  const publications: Publication[] = [];
  const idBase = Math.floor(random() * 2 ** 32)
    .toString(16)
    .padStart(8, '0');
  for (let i = 0; i < edits; i += 1) {
    const draft = pick(random, drafts);
    const eventId = `${idBase}-0000-4000-8000-${String(i).padStart(12, '0')}`;
    const made = Math.round((lastsMs * i) / edits);
    const parts = random() < 0.08 ? [] : PARTS.filter(() => random() < 0.45);
    const changes = parts.map((part) => {
      const field = fieldOf(fields, draft.table, part);
      const before = draft.values[part];
      const value = nextValue(random, field, before, `${part} ${i} it's "é"`);
      if (value === undefined) delete draft.values[part];
      else draft.values[part] = value;
      field.edits.push({ eventId, value });
      return { part, before, value };
    });
    const body = eventBody(draft, changes, { eventId, user: random() < 0.5 ? 'ana' : 'ben', time: startAt + made });
    const publication: Publication = {
      at: arrival(random, made),
      eventId,
      body,
      way: random() < 0.25 ? 'raw' : 'webhook',
      replica: Math.floor(random() * 3),
    };
    publications.push(publication);
    if (random() < 0.1) publications.push({ ...publication, at: publication.at + Math.floor(random() * 3_000) });
    if (random() < 0.06)
      publications.push({ ...publication, at: publication.at + Math.floor(random() * 3_000), way: 'copy' });
  }
  return { publications: publications.sort((a, b) => a.at - b.at), fields: [...fields.values()] };
}

/** Most events come soon, some late, and many together, so that strikes fall into full batches. */
function arrival(random: () => number, made: number): number {
  const late = random() < 0.1;
  const at = made + Math.floor(random() * (late ? 4_000 : 600));
  return !late && random() < 0.5 ? Math.ceil(at / BURST_EVERY_MS) * BURST_EVERY_MS : at;
}

function fieldOf(fields: Map<string, EditedField>, table: ChaosTable, part: Part): EditedField {
  const key = JSON.stringify([table, part]);
  const field = fields.get(key) ?? { table, part, edits: [] };
  fields.set(key, field);
  return field;
}

function nextValue(
  random: () => number,
  field: EditedField,
  before: string | undefined,
  fresh: string,
): string | undefined {
  const roll = random();
  if (before !== undefined && roll < 0.06) return undefined;
  const earlier = field.edits.map(({ value }) => value).filter((value) => value !== undefined && value !== before);
  if (roll < 0.2 && earlier.length > 0) return pick(random, earlier);
  return fresh;
}

function eventBody(
  draft: Draft,
  changes: readonly {
    readonly part: Part;
    readonly before?: string | undefined;
    readonly value?: string | undefined;
  }[],
  { eventId, user, time }: { readonly eventId: string; readonly user: string; readonly time: number },
): string {
  const previousVersion = draft.version / 10;
  draft.version += 1;
  const version = draft.version / 10;
  const { service, database, schema, name } = draft.table;
  const path = [service, database, schema, name];
  const fqn = formatFqn(path);
  const reference = (type: string, depth: number) => ({
    id: `${type} ${path.slice(0, depth).join('.')}`,
    type,
    name: path[depth - 1],
    fullyQualifiedName: formatFqn(path.slice(0, depth)),
  });
  const column = (part: 'a' | 'b') => ({
    name: part,
    dataType: 'INT',
    fullyQualifiedName: formatFqn([...path, part]),
    tags: [],
    ...described(draft.values[part]),
  });
  const diff = changes.map(({ part, before, value }) => ({
    name: part === 'table' ? 'description' : `columns.${part}.description`,
    ...(before === undefined ? {} : { oldValue: before }),
    ...(value === undefined ? {} : { newValue: value }),
    kind: before === undefined ? 'added' : value === undefined ? 'deleted' : 'updated',
  }));
  const ofKind = (kind: string) =>
    diff.filter((change) => change.kind === kind).map(({ kind: _, ...change }) => change);
  const vote = changes.length === 0 ? [{ name: 'votes', oldValue: '0', newValue: '1' }] : [];
  return JSON.stringify({
    id: eventId,
    eventType: 'entityUpdated',
    entityType: 'table',
    entityId: `id ${fqn}`,
    entityFullyQualifiedName: fqn,
    currentVersion: version,
    userName: user,
    timestamp: time,
    changeDescription: {
      fieldsAdded: ofKind('added'),
      fieldsUpdated: [...ofKind('updated'), ...vote],
      fieldsDeleted: ofKind('deleted'),
      previousVersion,
    },
    entity: JSON.stringify({
      id: `id ${fqn}`,
      name,
      fullyQualifiedName: fqn,
      ...described(draft.values.table),
      version,
      updatedAt: time,
      updatedBy: user,
      tableType: 'Regular',
      columns: [column('a'), column('b')],
      tags: [],
      owners: [],
      databaseSchema: reference('databaseSchema', 3),
      database: reference('database', 2),
      service: reference('databaseService', 1),
      serviceType: service.startsWith('pg') ? 'Postgres' : 'MariaDB',
      deleted: false,
    }),
  });
}

const described = (text: string | undefined) => (text === undefined ? {} : { description: text });

function pick<T>(random: () => number, items: readonly T[]): T {
  const item = items[Math.floor(random() * items.length)];
  if (item === undefined) throw new RangeError('nothing to pick from');
  return item;
}
