import type { Random } from '../../../actors/kernel/index.ts';
import { CatalogueTable } from './catalogue.ts';
import { BOT, type Content, type Emitted, type Publication, TARGET, TEXT_PARTS } from './catalogue-content.ts';

export interface EditingHabits {
  readonly tables: readonly string[];
  readonly edits: number;
  readonly start: number;
  /** See `Knowledge`. */
  readonly filtered: boolean;
}

/** A text that the target refuses to take. */
export const POISON = 'poison';

const TAGS = ['PII.Sensitive', 'PII.None', 'Layer.Gold', 'Layer.Raw', 'Team.Sales'];
/** Events come at most so much later than they were made, milliseconds; an undo without a partner is placed by it. */
const LATEST_MS = 1_500;

const pick = <T>(random: Random, list: readonly T[]): T => {
  const found = list[Math.floor(random() * list.length)];
  if (found === undefined) throw new Error('nothing to pick from');
  return found;
};

/**
 * Random edits of a few tables within some minutes, each event published a little later than it was made, so that neighbours
 * overtake each other; some twice, some by the bot, some taken back, votes, deletions and creations, some that cannot be read, some
 * that are for nobody here.
 */
export function editingSessions(random: Random, habits: EditingHabits) {
  let ids = 0;
  const nextId = (): string => {
    ids += 1;
    return `00000000-0000-4000-8000-${String(ids).padStart(12, '0')}`;
  };
  const tables = habits.tables.map((name) => new CatalogueTable(name, nextId, habits));
  const before = new Map<CatalogueTable, { readonly content: Content; readonly user: string }>();
  const publications: Publication[] = [];
  let time = habits.start;
  let user = 'ana';
  for (let i = 0; i < habits.edits; i += 1) {
    time += 10 + Math.floor(random() * (random() < 0.3 ? 4_000 : 200));
    if (random() < 0.5) user = random() < 0.15 ? BOT : pick(random, ['ana', 'ben']);
    const table = pick(random, tables);
    const at = time + Math.floor(random() * LATEST_MS);
    const roll = random();
    if (roll < 0.03) publications.push({ body: '{"not": "an event"}', headers: {}, at, keys: [' '] });
    else if (roll < 0.06) publications.push({ ...databaseEvent(i, time), at });
    else {
      const emitted = step(random, table, before, { user, time, number: i });
      if (emitted === undefined) continue;
      const { body, keys, user: by } = emitted;
      const publication: Publication = { body, keys, headers: {}, at, table: table.name, user: by };
      publications.push(publication);
      if (random() < 0.12) publications.push({ ...publication, at: at + Math.floor(random() * 3_000) });
      if (random() < 0.04) publications.push({ body, headers: { 'backflow-replay-target': 'another' }, at });
    }
  }
  return { tables, publications: publications.sort((a, b) => a.at - b.at), end: time };
}

interface Step {
  readonly user: string;
  readonly time: number;
  readonly number: number;
}

function step(
  random: Random,
  table: CatalogueTable,
  before: Map<CatalogueTable, { readonly content: Content; readonly user: string }>,
  { user, time, number }: Step,
): Emitted | undefined {
  if (table.state !== 'there') {
    before.delete(table);
    return table.state === 'deleted'
      ? table.restore(user, time)
      : table.create(user, time, edited(random, { tags: [] }, number));
  }
  const roll = random();
  if (roll < 0.1) return table.vote(user, time);
  if (roll < 0.13) {
    before.delete(table);
    return table.remove(user, time, random() < 0.5);
  }
  if (roll < 0.16) {
    table.silently(pick(random, TEXT_PARTS), `silent ${number}`);
    return undefined;
  }
  const last = before.get(table);
  if (roll < 0.3 && last !== undefined) {
    before.delete(table);
    return table.edit(last.user, time, last.content);
  }
  before.set(table, { content: table.content, user });
  return table.edit(user, time, edited(random, table.content, number));
}

function edited(random: Random, content: Content, number: number): Content {
  const next: Record<string, string> = {};
  for (const part of TEXT_PARTS) {
    const present = content[part];
    if (random() >= 0.35) {
      if (present !== undefined) next[part] = present;
    } else if (present === undefined || random() >= 0.12)
      next[part] = random() < 0.03 ? `${POISON} ${number}` : `${part} ${number}`;
  }
  const owner = random() < 0.25 ? pick(random, ['ana', 'ben']) : content.owner;
  const tags = random() < 0.35 ? otherTags(random, content.tags) : content.tags;
  return { ...next, ...(owner === undefined ? {} : { owner }), tags };
}

/** One label more, less, or another one of its classification. */
function otherTags(random: Random, tags: readonly string[]): readonly string[] {
  const tag = pick(random, TAGS);
  if (tags.includes(tag)) return tags.filter((other) => other !== tag);
  const classification = tag.slice(0, tag.indexOf('.') + 1);
  return [...tags.filter((other) => !other.startsWith(classification)), tag];
}

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
