import type { Random } from '../../../actors/kernel/index.ts';

/** What people edit of one table of the model. Undefined: none. */
export interface Content {
  description?: string;
  /** Descriptions of the two columns. */
  a?: string;
  b?: string;
  owner?: string;
}
export type Part = keyof Content;

export const PARTS: readonly Part[] = ['description', 'a', 'b', 'owner'];
export const BOT = 'ingestion-bot';
export const TARGET = 'pg_sales';

/** One message for CHANGES. `keys`: the fields (`aspect object`) that its diff touches; undefined: it can have no outcome. */
export interface Publication {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly at: number;
  readonly table?: string;
  readonly keys?: readonly string[];
}

/** One table as the catalogue has it, with what is known of how it came there. */
export interface EditedTable {
  readonly name: string;
  readonly content: Content;
  /** Parts whose last edit is by a user whose changes are not written back, or that ended cleared: the source may hold anything. */
  readonly loose: Set<Part>;
}

const FIELD: Readonly<Record<Part, string>> = {
  description: 'description ',
  a: 'description a',
  b: 'description b',
  owner: 'owners ',
};

const pick = <T>(random: Random, list: readonly T[]): T => {
  const found = list[Math.floor(random() * list.length)];
  if (found === undefined) throw new Error('nothing to pick from');
  return found;
};

/**
 * Random edits of a few tables within some minutes, each event published a little later than it was made, so that neighbours
 * overtake each other; some twice, some by the bot, some votes, some that cannot be read, some that are for nobody here.
 */
export function editingSessions(random: Random, tables: readonly string[], edits: number, start: number) {
  const state = tables.map((name): EditedTable & { version: number } => ({
    name,
    content: {},
    loose: new Set(),
    version: 0.1,
  }));
  const publications: Publication[] = [];
  let time = start;
  for (let i = 0; i < edits; i += 1) {
    time += 10 + Math.floor(random() * (random() < 0.3 ? 4_000 : 200));
    const table = pick(random, state);
    const at = time + Math.floor(random() * 1_500);
    const roll = random();
    if (roll < 0.03) publications.push({ body: '{"not": "an event"}', headers: {}, at, keys: [' '] });
    else if (roll < 0.06) publications.push({ ...databaseEvent(i, time), at });
    else {
      const publication = edit(random, table, i, time, at);
      publications.push(publication);
      if (random() < 0.12) publications.push({ ...publication, at: at + Math.floor(random() * 5_000) });
      if (random() < 0.04)
        publications.push({ body: publication.body, headers: { 'backflow-replay-target': 'another' }, at });
    }
  }
  return { tables: state, publications: publications.sort((a, b) => a.at - b.at), end: time };
}

function edit(
  random: Random,
  table: EditedTable & { version: number },
  i: number,
  time: number,
  at: number,
): Publication {
  table.version = Math.round(table.version * 10 + 1) / 10;
  const bot = random() < 0.08;
  const vote = !bot && random() < 0.1;
  const parts = vote ? [] : PARTS.filter(() => random() < 0.35);
  if (!vote && parts.length === 0) parts.push(pick(random, PARTS));
  const changes = parts.map((part) => {
    const before = table.content[part];
    const cleared = before !== undefined && random() < 0.1;
    const after = cleared ? undefined : part === 'owner' ? pick(random, ['ana', 'ben']) : `${part} ${i}`;
    if (after === undefined) delete table.content[part];
    else table.content[part] = after;
    if (bot || cleared) table.loose.add(part);
    else table.loose.delete(part);
    return { part, before, after };
  });
  const value = (part: Part, of: string | undefined) =>
    part === 'owner' ? JSON.stringify(of === undefined ? [] : [owner(of)]) : of;
  const fields = changes.map(({ part, before, after }) => ({
    name: part === 'owner' ? 'owners' : part === 'description' ? 'description' : `columns.${part}.description`,
    oldValue: value(part, before),
    newValue: value(part, after),
  }));
  const fqn = `${TARGET}.shop.public.${table.name}`;
  const body = JSON.stringify({
    id: `00000000-0000-4000-8000-${String(i).padStart(12, '0')}`,
    eventType: 'entityUpdated',
    entityType: 'table',
    entityId: `id-${table.name}`,
    entityFullyQualifiedName: fqn,
    currentVersion: table.version,
    userName: bot ? BOT : pick(random, ['ana', 'ben']),
    timestamp: time,
    changeDescription: {
      fieldsAdded: [],
      fieldsUpdated: vote ? [{ name: 'votes', oldValue: '', newValue: 'up' }] : fields,
      fieldsDeleted: [],
      previousVersion: Math.round(table.version * 10 - 1) / 10,
    },
    entity: JSON.stringify(entityOf(table, time)),
  });
  return {
    body,
    headers: {},
    at,
    table: table.name,
    keys: parts.length === 0 ? [' '] : parts.map((part) => FIELD[part]),
  };
}

/** The table as the catalogue answers for it. */
export function entityOf(table: EditedTable & { version: number }, time: number) {
  const { name, content, version } = table;
  const fqn = `${TARGET}.shop.public.${name}`;
  const text = (of: string | undefined) => (of === undefined ? {} : { description: of });
  return {
    id: `id-${name}`,
    name,
    fullyQualifiedName: fqn,
    ...text(content.description),
    version,
    updatedAt: time,
    updatedBy: 'ana',
    tableType: 'Regular',
    columns: [
      { name: 'a', dataType: 'INT', fullyQualifiedName: `${fqn}.a`, tags: [], ...text(content.a) },
      { name: 'b', dataType: 'INT', fullyQualifiedName: `${fqn}.b`, tags: [], ...text(content.b) },
    ],
    tags: [],
    owners: content.owner === undefined ? [] : [owner(content.owner)],
    databaseSchema: { id: 's', type: 'databaseSchema', name: 'public', fullyQualifiedName: `${TARGET}.shop.public` },
    database: { id: 'd', type: 'database', name: 'shop', fullyQualifiedName: `${TARGET}.shop` },
    service: { id: 'x', type: 'databaseService', name: TARGET, fullyQualifiedName: TARGET },
    serviceType: 'Postgres',
    deleted: false,
  };
}

const owner = (name: string) => ({ id: `user-${name}`, type: 'user', name, fullyQualifiedName: name });

/** A change of a database, which no channel of the model manages. */
function databaseEvent(i: number, time: number): Omit<Publication, 'at'> {
  const fqn = `${TARGET}.shop`;
  const body = JSON.stringify({
    id: `00000000-0000-4000-9000-${String(i).padStart(12, '0')}`,
    eventType: 'entityUpdated',
    entityType: 'database',
    entityId: 'd',
    entityFullyQualifiedName: fqn,
    currentVersion: 0.2,
    userName: 'ana',
    timestamp: time,
    changeDescription: {
      fieldsAdded: [],
      fieldsUpdated: [{ name: 'description', oldValue: 'x', newValue: 'y' }],
      fieldsDeleted: [],
      previousVersion: 0.1,
    },
    entity: JSON.stringify({
      id: 'd',
      name: 'shop',
      fullyQualifiedName: fqn,
      description: 'y',
      version: 0.2,
      updatedAt: time,
      tags: [],
      owners: [],
      service: { id: 'x', type: 'databaseService', name: TARGET, fullyQualifiedName: TARGET },
      deleted: false,
    }),
  });
  return { body, headers: {}, keys: ['description '] };
}
