/** What a case publishes; all counts are whole numbers. */
export interface Workload {
  /** Services, each with a database of its own. */
  readonly services: number;
  /** Tables of each service. */
  readonly assets: number;
  /** A multiple of all tables, so that each is visited equally often. */
  readonly events: number;
  /** Size of an event, at least. */
  readonly bytes: number;
  /** Columns whose descriptions every event changes; absent: the event changes the table's own description. */
  readonly columns?: number;
  /** Every tenth table gets, again and again, the text that it has already; one change in a hundred cannot be applied. */
  readonly mixed?: boolean;
}

/** `missing`: of a table that the source does not have. `unreadable`: its body is no JSON. */
export type Poison = 'missing' | 'unreadable';

/** One change of a workload, before it is made an event. */
export interface Change {
  readonly index: number;
  /** Which of the services. */
  readonly place: number;
  readonly table: string;
  /** Number that stands for the table among all tables of the workload. */
  readonly asset: number;
  /** How often the table was changed before. */
  readonly visit: number;
  /** Column → its new text; the key is empty for the table itself. */
  readonly texts: ReadonlyMap<string, string>;
  readonly poison?: Poison;
}

/** Shares no factor with any number of tables in use, so that a walk visits all before it comes back to one. */
const STRIDE = 7919;

export const tableName = (number: number): string => `t${number}`;
export const columnName = (number: number): string => `c${number}`;

/** Where a text stands in the source: `place/table` or `place/table.column`. */
export const textKey = (place: number, table: string, column: string): string =>
  column === '' ? `${place}/${table}` : `${place}/${table}.${column}`;

/** The changes of a workload in the order in which they are published; each is newer than all before it. */
export function* changesOf(workload: Workload, from = 0, to = workload.events): Generator<Change> {
  for (let index = from; index < to; index += 1) yield changeAt(workload, index);
}

function changeAt({ services, assets, columns, mixed = false }: Workload, index: number): Change {
  const total = services * assets;
  const asset = (index * STRIDE) % total;
  const place = asset % services;
  const visit = Math.floor(index / total);
  const poison = mixed ? poisonOf(asset, visit) : undefined;
  const own = tableName(Math.floor(asset / services));
  const table = poison === 'missing' ? `gone_${own}` : own;
  const texts =
    columns === undefined
      ? new Map([['', mixed && isUnchanged(asset) ? standingText(table) : textOf(index, table)]])
      : new Map(
          Array.from(
            { length: columns },
            (_, i) => [columnName(i), textOf(index, `${table}.${columnName(i)}`)] as const,
          ),
        );
  return { index, place, table, asset, visit, texts, ...(poison === undefined ? {} : { poison }) };
}

const textOf = (index: number, of: string): string =>
  `description ${index} of ${of}: it's "quoted" \\ and long enough to be one`;

const standingText = (table: string): string => `what stands in ${table} already`;
const isUnchanged = (asset: number): boolean => asset % 10 === 3;
const isPoisoned = (asset: number): boolean => asset % 10 === 7;

/** Of every tenth table every tenth change, the two kinds in turn. */
function poisonOf(asset: number, visit: number): Poison | undefined {
  if (!isPoisoned(asset) || visit % 10 !== 5) return undefined;
  return visit % 20 === 5 ? 'missing' : 'unreadable';
}

/** What has to stand in the source at the end. */
export interface Finals {
  /** Key (see `textKey`) → text of the newest change that can be applied. */
  readonly texts: ReadonlyMap<string, string>;
  /** Those of tables that had changes which cannot be applied among theirs. */
  readonly poisoned: ReadonlySet<string>;
  /** Key → how many changes of the workload aimed at it; what cannot be applied does not count. */
  readonly changes: ReadonlyMap<string, number>;
}

export function finalsOf(workload: Workload, from = 0, to = workload.events): Finals {
  const texts = new Map<string, string>();
  const changes = new Map<string, number>();
  const poisoned = new Set<string>();
  for (const change of changesOf(workload, from, to)) {
    for (const [column, text] of change.texts) {
      const key = textKey(change.place, change.table, column);
      if (change.poison === undefined) {
        texts.set(key, text);
        changes.set(key, (changes.get(key) ?? 0) + 1);
      } else if (change.poison === 'unreadable') {
        poisoned.add(key);
      }
    }
  }
  return { texts, poisoned, changes };
}

/** Texts that stand in the first place before anything is published (table → text). */
export function standingTexts(workload: Workload): ReadonlyMap<string, string> {
  const texts = new Map<string, string>();
  if (workload.mixed !== true) return texts;
  for (let number = 0; number < workload.assets; number += 1) {
    const table = tableName(number);
    if (isUnchanged(number)) texts.set(table, standingText(table));
  }
  return texts;
}

/** Which finals stand, which do not, and how many changes are thereby done. */
export interface Tally {
  readonly stale: number;
  readonly stalePoisoned: number;
  /** Changes that were made or overtaken by the final value that stands. */
  readonly done: number;
}

export function tallyOf(finals: Finals, found: ReadonlyMap<string, string>): Tally {
  let [stale, stalePoisoned, done] = [0, 0, 0];
  for (const [key, text] of finals.texts) {
    if (found.get(key) === text) done += finals.changes.get(key) ?? 0;
    else if (finals.poisoned.has(key)) stalePoisoned += 1;
    else stale += 1;
  }
  return { stale, stalePoisoned, done };
}
