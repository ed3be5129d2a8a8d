import type { Dialect } from '../../connectors/dialect/dialect.ts';
import { compileTemplate } from '../../src/template/compile.ts';
import { renderOperation } from '../../src/template/render-operation.ts';
import type { ClassCoverage } from './class-coverage.ts';
import type { TestPlace } from './hostile-text.ts';
import type { TrinoZoo, Wish } from './trino-zoo.ts';

const same = (value: string): string => value;

/** Every place of Trino that a text can stand in (`COMMENT ON … IS <fragment>`). */
export const TRINO_TEXT_PLACES: readonly TestPlace[] = [
  { name: 'bare', place: 'bare', fragment: '{description}', expected: same },
  { name: "'…'", place: 'string', fragment: "'{description}'", expected: same },
  {
    name: "'…' with neighbours",
    place: 'string',
    fragment: "'it''s \\ {{{description}}} \\'' -- ok # $$ /* x'",
    expected: (value) => `it's \\ {${value}} \\' -- ok # $$ /* x`,
  },
];

/** Every place of Trino that a name can stand in. */
export const TRINO_NAME_PLACES: readonly TestPlace[] = [
  { name: 'bare name', place: 'bare', fragment: '{table}', expected: same },
  { name: '"…"', place: 'double-quoted', fragment: '"{table}"', expected: same },
  {
    name: '"…" with neighbours',
    place: 'double-quoted',
    fragment: '"pre_""{table}_x"',
    expected: (value) => `pre_"${value}_x`,
  },
];

export interface QuotingRun {
  readonly zoo: TrinoZoo;
  readonly dialect: Dialect;
  readonly names: readonly string[];
  readonly texts: readonly string[];
  readonly coverage: ClassCoverage;
  readonly batch: number;
}

/** Names that the engine takes for different ones. */
export function distinctNames(names: readonly string[]): readonly string[] {
  return [...new Map(names.map((name) => [name.toLowerCase(), name])).values()];
}

/** The names of all tables that the places need. */
export function tablesFor(names: readonly string[]): readonly string[] {
  const decorated = TRINO_NAME_PLACES.flatMap(({ expected }) => names.map(expected));
  return distinctNames([...names, ...decorated]);
}

/** Rounds over all tables and columns, each with another text; every ninth write is a clear. */
export async function throughDefaultPlans(run: QuotingRun, rounds: number): Promise<readonly string[]> {
  const { zoo, names, texts, coverage } = run;
  const objects = names.flatMap((name) => [
    { name, object: zoo.table(name) },
    { name, object: zoo.column(name) },
  ]);
  const problems: string[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const wishes = objects.map(({ name, object }, index): Wish => {
      const text = texts[(index * 7 + round * 31) % texts.length];
      if ((index + round) % 9 === 0 || text === undefined) return { object, text: undefined, expected: undefined };
      coverage.add('default plan: text', text);
      coverage.add('default plan: name', name);
      return { object, text, expected: text };
    });
    problems.push(...(await inBatches(run, wishes)));
  }
  return problems;
}

export async function throughTextPlace(run: QuotingRun, place: TestPlace): Promise<readonly string[]> {
  const { zoo, names, texts, coverage } = run;
  const problems: string[] = [];
  // Texts for one batch lie on different tables.
  for (let start = 0; start < texts.length; start += names.length) {
    const wishes = texts.slice(start, start + names.length).map((text, index): Wish => {
      const object = zoo.table(names[index] ?? '');
      coverage.add(`template, text: ${place.name}`, text);
      const source = `COMMENT ON TABLE {catalog}.{schema}.{table} IS ${place.fragment}`;
      return { object, text, expected: place.expected(text), template: rendered(run.dialect, source, object, text) };
    });
    problems.push(...(await inBatches(run, wishes)));
  }
  return problems;
}

export function throughNamePlace(run: QuotingRun, place: TestPlace): Promise<readonly string[]> {
  const { zoo, names, coverage } = run;
  const wishes = names.map((name, index): Wish => {
    coverage.add(`template, name: ${place.name}`, name);
    const source = `COMMENT ON TABLE memory.zoo.${place.fragment} IS '{description}'`;
    const template = rendered(run.dialect, source, zoo.table(name), `mark ${index}`);
    return { object: zoo.table(place.expected(name)), text: `mark ${index}`, expected: `mark ${index}`, template };
  });
  return inBatches(run, wishes);
}

async function inBatches({ zoo, batch }: QuotingRun, wishes: readonly Wish[]): Promise<readonly string[]> {
  const problems: string[] = [];
  for (let start = 0; start < wishes.length; start += batch) {
    problems.push(...(await zoo.fulfil(wishes.slice(start, start + batch))));
  }
  return problems;
}

function rendered(dialect: Dialect, source: string, object: Wish['object'], text: string): readonly string[] {
  const compiled = compileTemplate(source, dialect);
  if (!compiled.ok) throw new Error(`${source} does not compile: ${compiled.error[0]?.message}`);
  const statements = renderOperation(compiled.value, { aspect: 'description', object, text });
  if (!statements.ok) throw new Error(`${source} does not render: ${statements.error.message}`);
  return statements.value;
}
