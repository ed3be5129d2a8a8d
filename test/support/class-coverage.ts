import fc from 'fast-check';
import { CHARACTER_CLASSES, type CharacterClass, classesOf } from './hostile-text.ts';

/** Distinct random values, at least `count`, and at least `perClass` in each character class. The same seed gives the same values. */
export function enoughOf(
  arbitrary: fc.Arbitrary<string>,
  { count, perClass, seed }: { readonly count: number; readonly perClass: number; readonly seed: number },
): readonly string[] {
  const chosen = new Set<string>();
  const have = new Map<CharacterClass, number>();
  for (const text of fc.sample(arbitrary, { numRuns: 40 * count, seed })) {
    const lacking = classesOf(text).some((one) => (have.get(one) ?? 0) < perClass);
    if (text === '' || chosen.has(text) || (chosen.size >= count && !lacking)) continue;
    chosen.add(text);
    for (const one of classesOf(text)) have.set(one, (have.get(one) ?? 0) + 1);
  }
  return [...chosen];
}

/** Counts what was written in which place, by the character classes of the value. */
export class ClassCoverage {
  readonly #cells = new Map<string, Map<CharacterClass, number>>();
  total = 0;

  add(place: string, value: string): void {
    const row = this.#cells.get(place) ?? new Map<CharacterClass, number>();
    this.#cells.set(place, row);
    for (const one of classesOf(value)) row.set(one, (row.get(one) ?? 0) + 1);
    this.total += 1;
  }

  /** The smallest cell of the table, among these classes. */
  least(classes: readonly CharacterClass[] = CHARACTER_CLASSES): number {
    const cells = [...this.#cells.values()].flatMap((row) => classes.map((one) => row.get(one) ?? 0));
    return Math.min(...cells);
  }

  /** The whole table as text: a line for each place, a column for each class. */
  table(): string {
    const width = Math.max(...[...this.#cells.keys()].map((place) => place.length));
    const head = ['place'.padEnd(width), ...CHARACTER_CLASSES].join('  ');
    const lines = [...this.#cells].map(([place, row]) =>
      [place.padEnd(width), ...CHARACTER_CLASSES.map((one) => String(row.get(one) ?? 0).padStart(one.length))].join(
        '  ',
      ),
    );
    return [head, ...lines].join('\n');
  }
}
