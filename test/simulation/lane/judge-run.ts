import type { OutcomeItem, SupersededItem } from '../../../src/domain/outcome.ts';
import type { CatalogueTable } from './catalogue.ts';
import { BOT, type Publication } from './catalogue-content.ts';
import { channelOf } from './configurations.ts';
import { POISON } from './editing-sessions.ts';
import type { BadTables } from './faults.ts';
import { type KnownPart, keyOfTag, valueOfTag } from './knowledge.ts';
import { type ModelStore, said } from './model-store.ts';
import { type ModelTarget, placeOf } from './model-target.ts';

/** What a run came to. `wrongs` is empty when every promise was kept. */
export interface Verdict {
  readonly wrongs: readonly string[];
  /** Parts of tables whose value in the target was compared with the catalogue's. */
  readonly compared: number;
  /** Of these: parts that differ, and whose outcome says that it was decided in doubt. */
  readonly excused: number;
  readonly changes: number;
  readonly statuses: ReadonlyMap<string, number>;
  readonly items: readonly (OutcomeItem | SupersededItem)[];
}

export interface Run {
  readonly tables: readonly CatalogueTable[];
  /** By sequence. */
  readonly published: ReadonlyMap<number, Publication>;
  readonly store: ModelStore;
  readonly target: ModelTarget;
  readonly bad: BadTables;
  readonly filtered: boolean;
  /** A catalogue that always answers leaves no doubt. */
  readonly noDoubt: boolean;
}

type Item = OutcomeItem | SupersededItem;

/** Compares the target and the outcomes at rest with what the history of edits says. `before`: what was wrong on the way. */
export function judgeRun(run: Run, before: readonly string[]): Verdict {
  const items = [...run.store.items.values()];
  const values = judgeValues(run, items);
  const statuses = new Map<string, number>();
  for (const item of items) {
    const status = 'status' in item ? item.status : 'superseded';
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
  }
  return {
    ...values,
    wrongs: [...before, ...run.store.wrongs, ...judgeKeys(run, items), ...values.wrongs, ...judgeItems(run, items)],
    changes: run.published.size,
    statuses,
    items,
  };
}

/** Every change is settled, and every key of it has exactly one outcome (a second one is noticed by the store). */
function judgeKeys({ published, store, filtered }: Run, items: readonly Item[]): string[] {
  const wrongs: string[] = [];
  const bySequence = Map.groupBy(items, (item) => item.sequence);
  for (const [sequence, { keys = [] }] of published) {
    if (!store.settled.has(sequence)) wrongs.push(`${sequence} is never settled`);
    const recorded = bySequence.get(sequence) ?? [];
    for (const key of keys) {
      const named = recorded.filter((item) => `${item.aspect ?? ''} ${item.object}` === key);
      const channel = channelOf(key.slice(0, key.indexOf(' ')), filtered);
      const own = named.filter((item) => item.channel === channel || item.channel === undefined);
      // A change that touches nothing by itself may show a description that came in silence, and then has that one's key.
      const other = (key === ' ' && recorded.length > 0) || recorded.some(isGivenUp);
      if (own.length !== 1 && !other) wrongs.push(`${sequence} has ${own.length} outcomes for ${key}`);
    }
  }
  return wrongs;
}

function judgeValues(run: Run, items: readonly Item[]) {
  const wrongs: string[] = [];
  let compared = 0;
  let excused = 0;
  const byEvent = Map.groupBy(items, (item) => item.eventId);
  for (const table of run.tables) {
    if (table.state !== 'there' || Object.values(run.bad).includes(table.name)) continue;
    if (items.some((item) => isGivenUp(item) && run.published.get(item.sequence)?.table === table.name)) continue;
    for (const part of table.knowledge.parts()) {
      const certainty = table.knowledge.of(part);
      if (certainty === 'loose') continue;
      const expected = expectedOf(table, part);
      // The target refuses it: what stood there before stays.
      if (expected?.startsWith(POISON) === true) continue;
      compared += 1;
      const value = run.target.values.get(placeOfPart(table.name, part));
      if (value === expected) continue;
      const { guesses } = table.knowledge;
      const inDoubt =
        certainty === 'doubtful' &&
        (decidedInDoubt(table.knowledge.lastWord(part), part, byEvent) ||
          (table.knowledge.cameSilently(part) && anyInDoubt(run, table.name, part, items)) ||
          guesses.some((id) => isGuessed(run, id, byEvent)) ||
          (expected === undefined && part.startsWith('tag ') && cameLate(run, table.name, byEvent)));
      if (inDoubt && !run.noDoubt) excused += 1;
      else wrongs.push(`${table.name} ${part} is ${value}, not ${expected}`);
    }
  }
  return { wrongs, compared, excused };
}

/** Three owners died while they had nothing but this change in hand; as happens to an innocent one where owners often die. */
function isGivenUp(item: Item): boolean {
  return 'status' in item && item.failure?.code === 'killed-its-owners';
}

function expectedOf({ content }: CatalogueTable, part: KnownPart): string | undefined {
  if (part === 'owner') return content.owner === undefined ? undefined : `role_${content.owner}`;
  if (part === 'description' || part === 'a' || part === 'b') return content[part];
  const tag = content.tags.find((one) => `tag ${keyOfTag(one)}` === part);
  return tag === undefined ? undefined : valueOfTag(tag);
}

function placeOfPart(table: string, part: KnownPart): string {
  if (part === 'owner') return placeOf({ table }, 'owners');
  if (part === 'description') return placeOf({ table }, 'description');
  if (part === 'a' || part === 'b') return placeOf({ table, column: [part] }, 'description');
  return `${placeOf({ table }, 'tags')} ${part.slice('tag '.length)}`;
}

/** The event's own decision about the part, or that of the change which took its place, says that it was made without certainty. */
function decidedInDoubt(
  eventId: string,
  part: KnownPart,
  byEvent: ReadonlyMap<string, readonly Item[]>,
  seen: readonly string[] = [],
): boolean {
  if (seen.includes(eventId)) return false;
  return (byEvent.get(eventId) ?? []).some((item) => {
    if (!isAbout(item, part)) return false;
    if ('status' in item) return item.decidedBy === 'snapshot';
    return decidedInDoubt(item.by, part, byEvent, [...seen, eventId]);
  });
}

function isAbout(item: Item, part: KnownPart): boolean {
  const aspect = part === 'owner' ? 'owners' : part.startsWith('tag ') ? 'tags' : 'description';
  return item.aspect === aspect && item.object === (part === 'a' || part === 'b' ? part : '');
}

/** What a silent change replaced was decided after that had been seen, when the state that showed it was no longer at hand. */
function anyInDoubt({ published }: Run, table: string, part: KnownPart, items: readonly Item[]): boolean {
  return items.some(
    (item) =>
      'status' in item &&
      item.decidedBy === 'snapshot' &&
      isAbout(item, part) &&
      published.get(item.sequence)?.table === table,
  );
}

/**
 * An undo was placed without its partner: it says so, or it was decided before a change of its table that had been made earlier.
 * Its snapshot may stand above what followed, or below what it takes back.
 */
function isGuessed({ published, store }: Run, eventId: string, byEvent: ReadonlyMap<string, readonly Item[]>): boolean {
  const own = byEvent.get(eventId) ?? [];
  if (own.some((item) => 'status' in item && item.decidedBy === 'snapshot')) return true;
  const first = Math.min(...own.map((item) => store.recordedIn.get(item) ?? 0));
  const [any] = own;
  const table = any === undefined ? undefined : published.get(any.sequence)?.table;
  // Ids are given in the order in which changes are made.
  return store.items.values().some((item) => {
    if (item.eventId >= eventId || published.get(item.sequence)?.table !== table) return false;
    return (store.recordedIn.get(item) ?? 0) > first;
  });
}

/**
 * A change of the table's tags was decided after the newer one that took its place. What it took away is left alone where the newest
 * state is not at hand any more: without a catalogue nobody can tell whether it has come back. (It can stand in the source only when
 * an owner wrote it that died before it could record that.)
 */
function cameLate({ published, store }: Run, table: string, byEvent: ReadonlyMap<string, readonly Item[]>): boolean {
  return store.items.values().some((item) => {
    if ('status' in item || item.aspect !== 'tags' || published.get(item.sequence)?.table !== table) return false;
    const newer = (byEvent.get(item.by) ?? []).find((by) => by.aspect === 'tags' && by.channel === item.channel);
    return newer !== undefined && (store.recordedIn.get(newer) ?? 0) < (store.recordedIn.get(item) ?? 0);
  });
}

/** What failed has a reason in the target, nothing that an ignored user did is written, and no key by two channels. */
function judgeItems({ published, bad }: Run, items: readonly Item[]): string[] {
  const writers = new Map<string, number>();
  const wrongs = items.flatMap((item) => {
    if (!('status' in item) || item.aspect === undefined || item.status === 'skipped') return [];
    const { table = '', user, keys = [] } = published.get(item.sequence) ?? {};
    const key = `${item.aspect} ${item.object}`;
    const whole = `${item.sequence} ${key}`;
    writers.set(whole, (writers.get(whole) ?? 0) + 1);
    if (user === BOT && keys.includes(key)) return [`${whole} ended ${said(item)} although ${BOT} made it`];
    const reason = item.failure?.code === 'poison' || Object.values(bad).includes(table);
    return item.status === 'failed' && !reason ? [`${whole} ended ${said(item)} although its table is well`] : [];
  });
  for (const [key, count] of writers) if (count > 1) wrongs.push(`${key} is written by ${count} channels`);
  return wrongs;
}
