import assert from 'node:assert/strict';
import type { TestPlace } from './hostile-text.ts';
import type { QuotingOracle } from './quoting-oracle.ts';
import { type RedshiftToken, redshiftTokens } from './redshift-tokens.ts';
import { type NoiseTable, POSTGRES_NOISE } from './template-noise.ts';

const same = (value: string): string => value;

/** Every place of Redshift that a text can stand in (`COMMENT ON … IS <fragment>`). */
export const REDSHIFT_TEXT_PLACES: readonly TestPlace[] = [
  { name: 'bare', place: 'bare', fragment: '{description}', expected: same },
  { name: "'…'", place: 'string', fragment: "'{description}'", expected: same },
  {
    name: "'…' with neighbours",
    place: 'string',
    fragment: "'it''s {{{description}}} $$ -- ok'",
    expected: (value) => `it's {${value}} $$ -- ok`,
  },
  { name: '$$…$$', place: 'dollar-quoted', fragment: '$$<\\{description}>$$', expected: (value) => `<\\${value}>` },
  {
    name: '$tag$…$tag$',
    place: 'dollar-quoted',
    fragment: "$tag$it's {description}$tag$",
    expected: (value) => `it's ${value}`,
  },
];

/** Every place of Redshift that a name can stand in. */
export const REDSHIFT_NAME_PLACES: readonly TestPlace[] = [
  { name: 'bare name', place: 'bare', fragment: '{table}', expected: same },
  { name: '"…"', place: 'double-quoted', fragment: '"{table}"', expected: same },
  {
    name: '"…" with neighbours',
    place: 'double-quoted',
    fragment: '"pre_""{table}_x"',
    expected: (value) => `pre_"${value}_x`,
    taken: 7,
  },
];

/** What PostgreSQL has and Redshift does not is among the frames on purpose: it must be refused, or be read right. */
const NOISE: NoiseTable = POSTGRES_NOISE;

/** The tokens, if both ways of reading a backslash agree on them; a text that means two things is no statement at all. */
function certainTokens(sql: string): readonly RedshiftToken[] {
  const [tokens, literal] = [redshiftTokens(sql, 'escape'), redshiftTokens(sql, 'literal')];
  assert.deepEqual(tokens, literal, `read in two ways: ${sql}`);
  if (tokens.some(({ kind, text }) => kind === 'symbol' && text === ';')) throw new Error(`two statements: ${sql}`);
  return tokens;
}

/** A strict reader by Redshift's rules as the judge, in both of its modes at once. */
export function redshiftOracle(): QuotingOracle {
  const comment = (sql: string): { readonly name: string; readonly text: string } => {
    const tokens = certainTokens(sql);
    const kinds = tokens.map((token) => (token.kind === 'word' || token.kind === 'symbol' ? token.text : token.kind));
    if (kinds.join(' ') !== 'comment on table name . name is string' || tokens[3]?.text !== 's') {
      throw new Error(`not one comment on a table: ${sql}`);
    }
    return { name: tokens[5]?.text ?? '', text: tokens[7]?.text ?? '' };
  };
  return {
    textPlaces: REDSHIFT_TEXT_PLACES,
    namePlaces: REDSHIFT_NAME_PLACES,
    noise: NOISE,
    textTemplate: (fragment) => `COMMENT ON TABLE "s"."t" IS ${fragment}`,
    nameTemplate: (fragment) => `COMMENT ON TABLE "s".${fragment} IS 'fixed'`,
    readText(sql) {
      const { name, text } = comment(sql);
      assert.equal(name, 't', `another object: ${sql}`);
      return text;
    },
    readName(sql) {
      const { name, text } = comment(sql);
      assert.equal(text, 'fixed', `another comment: ${sql}`);
      return name;
    },
    read(sql) {
      let tokens: readonly RedshiftToken[];
      try {
        tokens = certainTokens(sql);
      } catch (error) {
        if (error instanceof Error) return undefined;
        throw error;
      }
      const isText = ({ kind }: RedshiftToken): boolean => kind === 'string' || kind === 'name';
      return {
        shape: tokens.map((token) => (isText(token) ? token.kind : token.text)),
        texts: tokens.filter(isText).map(({ text }) => text),
      };
    },
  };
}
