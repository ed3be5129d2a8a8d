import type { TestPlace } from './hostile-text.ts';

const same = (value: string): string => value;

/** Every place of Transact-SQL that a text can stand in, where a constant is wanted (`@value = <fragment>`). */
export const MSSQL_TEXT_PLACES: readonly TestPlace[] = [
  { name: 'bare', place: 'bare', fragment: '{description}', expected: same },
  { name: 'bare after N', place: 'national-string', fragment: 'N{description}', expected: same },
  { name: "N'…'", place: 'national-string', fragment: "N'{description}'", expected: same },
  {
    name: "N'…' with neighbours",
    place: 'national-string',
    fragment: "n'it''s \\ {{{description}}} \\\\ -- ok'",
    expected: (value) => `it's \\ {${value}} \\\\ -- ok`,
  },
  {
    name: "N'…' between a backslash and a break",
    place: 'national-string',
    fragment: "N'\\{description}\nend'",
    expected: (value) => `\\${value}\nend`,
  },
];

/** Every place of Transact-SQL that a name can stand in, as the argument that names a table (`@level1name = <fragment>`). */
export const MSSQL_NAME_PLACES: readonly TestPlace[] = [
  { name: 'bare name', place: 'bare', fragment: '{table}', expected: same },
  { name: '[…]', place: 'bracketed', fragment: '[{table}]', expected: same },
  { name: '"…"', place: 'double-quoted', fragment: '"{table}"', expected: same },
  { name: "N'…' for a name", place: 'national-string', fragment: "N'{table}'", expected: same },
  {
    name: '[…] with neighbours',
    place: 'bracketed',
    fragment: '[pre_]]{table}_x]',
    expected: (value) => `pre_]${value}_x`,
    taken: 7,
  },
  {
    name: '"…" with neighbours',
    place: 'double-quoted',
    fragment: '"pre_""{table}_x"',
    expected: (value) => `pre_"${value}_x`,
    taken: 7,
  },
];
