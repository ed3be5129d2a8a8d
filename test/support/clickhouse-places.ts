import type { TestPlace } from './hostile-text.ts';

const same = (value: string): string => value;

/** Every place of ClickHouse that a text can stand in, where the grammar wants a literal (`MODIFY COMMENT <fragment>`). */
export const CLICKHOUSE_TEXT_PLACES: readonly TestPlace[] = [
  { name: 'bare', place: 'bare', fragment: '{description}', expected: same },
  { name: "'…'", place: 'string', fragment: "'{description}'", expected: same },
  {
    name: "'…' with neighbours",
    place: 'string',
    fragment: "'it''s \\\\ {{{description}}} \\' -- ok # $$ ‘x’'",
    expected: (value) => `it's \\ {${value}} ' -- ok # $$ ‘x’`,
  },
  { name: '$$…$$', place: 'dollar-quoted', fragment: '$$<{description}>$$', expected: (value) => `<${value}>` },
  {
    name: '$tag$…$tag$',
    place: 'dollar-quoted',
    fragment: ['$tag$', '{description}', '$tag$'].join(''),
    expected: same,
  },
];

/** Every place of ClickHouse that a name can stand in. */
export const CLICKHOUSE_NAME_PLACES: readonly TestPlace[] = [
  { name: 'bare name', place: 'bare', fragment: '{table}', expected: same },
  { name: '`…`', place: 'backquoted', fragment: '`{table}`', expected: same },
  {
    name: '`…` with neighbours',
    place: 'backquoted',
    fragment: '`pre_``{table}\\`x`',
    expected: (value) => `pre_\`${value}\`x`,
    taken: 7,
  },
  { name: '"…"', place: 'double-quoted', fragment: '"{table}"', expected: same },
  {
    name: '"…" with neighbours',
    place: 'double-quoted',
    fragment: '"pre_""{table}\\"y"',
    expected: (value) => `pre_"${value}"y`,
    taken: 7,
  },
];
