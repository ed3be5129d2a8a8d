import { type ColumnIndex, columnIndex } from './column-index.ts';
import { parseFqn } from './fqn.ts';
import type { Column } from './snapshot.ts';

/** All columns with their children, parents first. */
export function flattenColumns(columns: readonly Column[]): readonly Column[] {
  return columns.flatMap((column) =>
    column.children.length === 0 ? [column] : [column, ...flattenColumns(column.children)],
  );
}

/** The column at a path of names, if there is one. */
export function columnAt(columns: readonly Column[], path: readonly string[]): Column | undefined {
  let level = columns;
  let found: Column | undefined;
  for (const name of path) {
    found = columnNamed(level, name);
    if (found === undefined) return undefined;
    level = found.children;
  }
  return found;
}

/** The first of these columns that has the name. */
function columnNamed(columns: readonly Column[], name: string): Column | undefined {
  if (columns.length < MANY_COLUMNS) return columns.find((column) => column.name === name);
  let named = byName.get(columns);
  if (named === undefined) {
    // The first one of a name counts: it is set last.
    named = new Map(columns.toReversed().map((column) => [column.name, column]));
    byName.set(columns, named);
  }
  return named.get(name);
}

/**
 * Every column that the path of a diff can mean (`unit.price` of `columns.unit.price.description`). Three grammars are in use,
 * and two of them are ambiguous: the full path with dotted names quoted (2.x), the full path unquoted (1.12, and tags in 1.6),
 * the local name alone, quoted when dotted (1.6). Names compare case-insensitively only where nothing fits exactly, as
 * OpenMetadata matches columns so.
 */
export function columnCandidates(path: string, columns: readonly Column[]): readonly Column[] {
  const parsed = parseFqn(path);
  const parts = parsed.ok ? parsed.value : undefined;
  if (columns.length >= MANY_COLUMNS) {
    const { exact, folded } = indexesOf(columns);
    const found = exact.find(path, parts);
    return found.length > 0 ? found : folded().find(path, parts);
  }
  const all = flattenColumns(columns);
  const exact = all.filter((column) => fits(column, path, parts, (name) => name));
  return exact.length > 0 ? exact : all.filter((column) => fits(column, path, parts, (name) => name.toLowerCase()));
}

interface ColumnIndexes {
  readonly exact: ColumnIndex;
  readonly folded: () => ColumnIndex;
}

/** From so many columns on, an edit of all of them would cost their square without an index; below, an index costs more than it saves. */
const MANY_COLUMNS = 32;
const indexes = new WeakMap<readonly Column[], ColumnIndexes>();
const byName = new WeakMap<readonly Column[], ReadonlyMap<string, Column>>();

function indexesOf(columns: readonly Column[]): ColumnIndexes {
  const known = indexes.get(columns);
  if (known !== undefined) return known;
  const all = flattenColumns(columns);
  let folded: ColumnIndex | undefined;
  const made: ColumnIndexes = {
    exact: columnIndex(all, (name) => name),
    folded: () => {
      folded ??= columnIndex(all, (name) => name.toLowerCase());
      return folded;
    },
  };
  indexes.set(columns, made);
  return made;
}

/** The naive reading, for tests that show what it breaks: whatever follows the last dot names the column. */
export function columnsByLastSegment(path: string, columns: readonly Column[]): readonly Column[] {
  const name = path.slice(path.lastIndexOf('.') + 1);
  return flattenColumns(columns).filter((column) => column.name === name);
}

/** Where no column tree is at hand: the path as 2.x writes it. */
export function literalPath(path: string): readonly string[] {
  const parsed = parseFqn(path);
  return parsed.ok ? parsed.value : [path];
}

function fits(
  column: Column,
  path: string,
  parts: readonly string[] | undefined,
  fold: (name: string) => string,
): boolean {
  const wanted = fold(path);
  if (fold(column.path.join('.')) === wanted) return true;
  if (parts === undefined) return false;
  if (parts.length === 1 && fold(column.name) === fold(parts[0] ?? '')) return true;
  return parts.length === column.path.length && parts.every((part, i) => fold(part) === fold(column.path[i] ?? ''));
}
