import { isJsonObject, type Json } from '../domain/json.ts';
import { type ConfigPath, formatPath } from './problem.ts';
import { redact } from './redact.ts';
import type { ConfigDocument } from './schema.ts';

/** One value that differs; undefined where a side has none. Secrets are masked. */
export interface ValueDifference {
  /** Inside the target or channel: `rateLimit.perSecond`. */
  readonly path: string;
  readonly before?: Json;
  readonly after?: Json;
}

export interface ConfigDifference {
  readonly kind: 'target' | 'channel' | 'owners' | 'ignoreUsers';
  /** Service or channel name; empty for the settings of the whole. */
  readonly name: string;
  readonly change: 'added' | 'removed' | 'changed';
  readonly values: readonly ValueDifference[];
}

/** What an `apply` would change: targets and channels by their names, and the settings of the whole. Order has no meaning. */
export function diffConfig(before: ConfigDocument, after: ConfigDocument): readonly ConfigDifference[] {
  return [
    ...diffNamed('target', byName(before.targets, 'service'), byName(after.targets, 'service')),
    ...diffNamed('channel', byName(before.channels, 'name'), byName(after.channels, 'name')),
    ...diffWhole('owners', toJson(before.owners ?? {}), toJson(after.owners ?? {})),
    ...diffWhole('ignoreUsers', toJson(before.ignoreUsers ?? null), toJson(after.ignoreUsers ?? null)),
  ];
}

/** For people: `+ target pg_sales`, `~ channel docs` with one line per value, `- channel old`. */
export function formatDifference(differences: readonly ConfigDifference[]): string {
  if (differences.length === 0) return 'no difference';
  const signs = { added: '+', removed: '-', changed: '~' } as const;
  const lines = differences.flatMap(({ kind, name, change, values }) => [
    `${signs[change]} ${kind}${name === '' ? '' : ` ${name}`}`,
    ...(change === 'changed' ? values.map(formatValue) : []),
  ]);
  return lines.join('\n');
}

function formatValue({ path, before, after }: ValueDifference): string {
  return `    ${path}: ${before === undefined ? '(unset)' : shorten(before)} → ${after === undefined ? '(unset)' : shorten(after)}`;
}

function shorten(value: Json): string {
  const text = JSON.stringify(value);
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}

function byName<T extends object>(items: readonly T[] | undefined, key: keyof T): ReadonlyMap<string, Json> {
  return new Map((items ?? []).map((item) => [String(item[key]), toJson(item)]));
}

/** Members that are undefined are left out. */
function toJson(value: unknown): Json {
  if (Array.isArray(value)) return value.map(toJson);
  if (isJsonObject(value)) {
    const entries = Object.entries(value).filter(([, item]) => item !== undefined);
    return Object.fromEntries(entries.map(([key, item]) => [key, toJson(item)]));
  }
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? value : null;
}

function diffNamed(
  kind: 'target' | 'channel',
  before: ReadonlyMap<string, Json>,
  after: ReadonlyMap<string, Json>,
): ConfigDifference[] {
  const names = [...new Set([...before.keys(), ...after.keys()])].sort();
  return names.flatMap((name): ConfigDifference[] => {
    const old = before.get(name);
    const young = after.get(name);
    if (old === undefined) return [{ kind, name, change: 'added', values: [] }];
    if (young === undefined) return [{ kind, name, change: 'removed', values: [] }];
    const values = diffValues(old, young, []);
    return values.length === 0 ? [] : [{ kind, name, change: 'changed', values }];
  });
}

function diffWhole(kind: 'owners' | 'ignoreUsers', before: Json, after: Json): ConfigDifference[] {
  const values = diffValues(before, after, []);
  return values.length === 0 ? [] : [{ kind, name: '', change: 'changed', values }];
}

/** Goes down through objects; lists are one value. A changed secret is told, its value is not. */
function diffValues(before: Json | undefined, after: Json | undefined, path: ConfigPath): ValueDifference[] {
  if (isJsonObject(before) && isJsonObject(after)) {
    const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])];
    return keys.flatMap((key) => diffValues(before[key], after[key], [...path, key]));
  }
  if (JSON.stringify(before) === JSON.stringify(after)) return [];
  return [
    {
      path: formatPath(path),
      ...(before === undefined ? {} : { before: shown(before, path) }),
      ...(after === undefined ? {} : { after: shown(after, path) }),
    },
  ];
}

/** Redacted as a whole connection is, so that each key on the way to the value counts. */
function shown(value: Json, path: ConfigPath): Json {
  if (path[0] !== 'connection') return value;
  const nested = path.toReversed().reduce<Json>((inner, key) => ({ [key]: inner }), value);
  return path.reduce<Json>((outer, key) => (isJsonObject(outer) ? (outer[key] ?? null) : outer), redact(nested));
}
