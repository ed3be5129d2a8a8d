import type { TestPlace } from './hostile-text.ts';
import { oracleTokens } from './oracle-tokens.ts';
import type { QuotingOracle } from './quoting-oracle.ts';
import type { NoiseTable } from './template-noise.ts';

const same = (value: string): string => value;

/** Every place of Oracle that a text can stand in, where a literal is wanted (`COMMENT ON … IS <fragment>`). */
export const ORACLE_TEXT_PLACES: readonly TestPlace[] = [
  { name: 'bare', place: 'bare', fragment: '{description}', expected: same },
  { name: "'…'", place: 'string', fragment: "'{description}'", expected: same },
  {
    name: "'…' with neighbours",
    place: 'string',
    fragment: "'it''s \\ {{{description}}} /* -- ok :x & $$'",
    expected: (value) => `it's \\ {${value}} /* -- ok :x & $$`,
  },
  { name: "N'…'", place: 'national-string', fragment: "N'{description}'", expected: same },
  {
    name: "n'…' with neighbours",
    place: 'national-string',
    fragment: "n'say \"{description}\\'",
    expected: (value) => `say "${value}\\`,
  },
  { name: 'bare after N', place: 'national-string', fragment: 'N{description}', expected: same },
];

/** Every place of Oracle that a name can stand in. A bare one in lower case means what it would mean unquoted. */
export const ORACLE_NAME_PLACES: readonly TestPlace[] = [
  {
    name: 'bare name',
    place: 'bare',
    fragment: '{table}',
    expected: (value) => (/^[a-z][a-z0-9_$#]*$/.test(value) ? value.toUpperCase() : value),
  },
  { name: '"…"', place: 'double-quoted', fragment: '"{table}"', expected: same },
  {
    name: '"…" with neighbours',
    place: 'double-quoted',
    fragment: '"pre_\'{table}_x"',
    expected: (value) => `pre_'${value}_x`,
    taken: 7,
  },
];

const ORACLE_NOISE: NoiseTable = {
  frames: [
    '@',
    "'@'",
    "N'@'",
    "n'@'",
    '"@"',
    'N@',
    "q'[@]'",
    "nQ'!@!'",
    'q@',
    "x IS'@'",
    '/* @ */ 1',
    '1 -- @\n',
    "'a' || '@'",
    '"x".@',
    '@.@',
    '/* /* */ @',
    "date'@'",
    '/*+ @ */ 1',
  ],
  noise: [
    "'",
    "''",
    '"',
    '""',
    '\\',
    '--',
    '/*',
    '*/',
    '/*+',
    '{{',
    '}}',
    ' ',
    'a',
    '\n',
    ';',
    ',',
    "q'",
    "]'",
    'N',
    ':x',
  ],
  between: [
    ', ',
    ' ',
    '\n',
    ' || ',
    ' /* c */, ',
    ', -- c\n',
    '; SELECT ',
    " /* ' */ , ",
    ', -- "\n',
    " , 'b' , ",
    " , q'[it's]' , ",
  ],
  placeholders: [
    '{description}',
    '{service}',
    '{table}',
    '{schema}',
    '{description}{service}',
    '{description} {service}',
  ],
};

/** A strict reader by the rules of the SQL Language Reference as the judge. */
export const oracleOracle: QuotingOracle = {
  textPlaces: ORACLE_TEXT_PLACES,
  namePlaces: ORACLE_NAME_PLACES,
  noise: ORACLE_NOISE,
  textTemplate: (fragment) => `COMMENT ON TABLE "s"."t" IS ${fragment}`,
  nameTemplate: (fragment) => `COMMENT ON TABLE "s".${fragment} IS 'fixed'`,
  readText(sql) {
    const [name, text] = form(sql);
    if (name !== 't') throw new Error(`another object: ${sql}`);
    return text;
  },
  readName(sql) {
    const [name, text] = form(sql);
    if (text !== 'fixed') throw new Error(`another comment: ${sql}`);
    return name;
  },
  read(sql) {
    try {
      const tokens = oracleTokens(sql, () => 0);
      const isText = (kind: string): boolean => kind === 'string' || kind === 'national' || kind === 'name';
      return {
        shape: tokens.map((token) => (isText(token.kind) ? token.kind : token.text)),
        texts: tokens.filter((token) => isText(token.kind)).map((token) => token.text),
      };
    } catch (error) {
      if (error instanceof Error) return undefined;
      throw error;
    }
  },
};

function form(sql: string): readonly [name: string, text: string] {
  const tokens = oracleTokens(sql);
  const kinds = tokens.map((token) => (token.kind === 'word' || token.kind === 'symbol' ? token.text : token.kind));
  const shape = kinds.join(' ').replace('national', 'string');
  if (shape !== 'COMMENT ON TABLE name . name IS string' || tokens[3]?.text !== 's') {
    throw new Error(`not one comment on a table: ${sql}`);
  }
  return [tokens[5]?.text ?? '', tokens[7]?.text ?? ''];
}
