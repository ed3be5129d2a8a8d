import type { Column } from './snapshot.ts';

/** Finds columns by what a diff may call them without looking at every column; for tables that have many. */
export interface ColumnIndex {
  /**
   * Columns whose names joined by dots are `path`, whose path is `parts`, or whose own name is the only one of `parts`; in the order of
   * the table. `parts` undefined: the path cannot be taken apart.
   */
  find(path: string, parts: readonly string[] | undefined): readonly Column[];
}

/** `all`: parents before their children. `fold` makes alike what is to be found alike. */
export function columnIndex(all: readonly Column[], fold: (name: string) => string): ColumnIndex {
  const positions = new Map<string, number[]>();
  const note = (key: string, position: number): void => {
    const present = positions.get(key);
    if (present === undefined) positions.set(key, [position]);
    else present.push(position);
  };
  const keys = {
    joined: (path: string) => `joined ${fold(path)}`,
    name: (name: string) => `name ${fold(name)}`,
    path: (path: readonly string[]) => `path ${JSON.stringify(path.map(fold))}`,
  };
  for (const [position, column] of all.entries()) {
    note(keys.joined(column.path.join('.')), position);
    note(keys.name(column.name), position);
    note(keys.path(column.path), position);
  }
  return {
    find: (path, parts) => {
      const [first] = parts ?? [];
      const asked = [
        keys.joined(path),
        ...(parts === undefined ? [] : [keys.path(parts)]),
        ...(parts?.length === 1 && first !== undefined ? [keys.name(first)] : []),
      ];
      const found = new Set(asked.flatMap((key) => positions.get(key) ?? []));
      return [...found].sort((a, b) => a - b).flatMap((position) => all[position] ?? []);
    },
  };
}
