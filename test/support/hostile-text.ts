import fc from 'fast-check';
import type { Place } from '../../connectors/dialect/dialect.ts';

/** Kinds of character that break naive quoting; a text can be of several. */
export const CHARACTER_CLASSES = [
  'quote',
  'backslash',
  'newline',
  'dollar-tag',
  'comment-mark',
  'lone-brace',
  'astral',
  'right-to-left',
  'trailing-backslash',
] as const;
export type CharacterClass = (typeof CHARACTER_CLASSES)[number];

const MEMBERS: Readonly<Record<CharacterClass, RegExp>> = {
  quote: /['"`]/,
  backslash: /\\/,
  newline: /[\r\n]/,
  'dollar-tag': /\$[A-Za-z_0-9]*\$/,
  'comment-mark': /--|\/\*|\*\/|#/,
  'lone-brace': /[{}]/,
  astral: /[\u{10000}-\u{10ffff}]/u,
  'right-to-left': /[\u0590-\u08ff\u200f\u202b\u202e\u2067]/,
  'trailing-backslash': /\\$/,
};

/** The classes that a text belongs to. */
export function classesOf(text: string): readonly CharacterClass[] {
  return CHARACTER_CLASSES.filter((name) => MEMBERS[name].test(text));
}

const PIECES: readonly (readonly [weight: number, arbitrary: fc.Arbitrary<string>])[] = [
  [3, fc.constantFrom("'", '"', '`', "''", '""', '``', "'''", "\\'", '\\"', "';", '";', '`;')],
  [2, fc.constantFrom('\\', '\\\\', '\\n', '\\0', '\\x27', '\\u0027', '\\047', '\\%', '\\Z')],
  [2, fc.constantFrom('\n', '\r', '\r\n', '\t', '\b', '\u001a', '\u2028', '\u00a0', '\u0085')],
  [2, fc.constantFrom('$$', '$tag$', '$body$', '$_$', '$x1$', '$', '$1')],
  [2, fc.constantFrom('--', '-- ', '/*', '*/', '/*!', '/*M!', '#', '/* /*', '--\n', '*/ /*')],
  [2, fc.constantFrom('{', '}', '{{', '}}', '{description}', '{table', '$' + '{HOME}', '%s', '%I', '?', ':name', '@x')],
  [2, fc.constantFrom('😀', '𝒳', '𐍈', '👩‍👩‍👧', '\u{1f1e6}\u{1f1f9}', '\u{10ffff}')],
  [2, fc.constantFrom('שלום', 'مرحبا', '\u202e', '\u200f', '\u2067', 'א')],
  [1, fc.constantFrom('é', 'e\u0301', 'ß', 'İ', 'ſ', '中', '\ufeff', '\u200b', '\ufffd', 'ʼ', '＇', '¥', '₩')],
  [
    2,
    fc.constantFrom(
      "'; DROP TABLE canary; --",
      '"; DROP TABLE canary; --',
      "E'",
      "N'",
      "U&'",
      "X'",
      'UESCAPE',
      ';',
      ';;',
    ),
  ],
  [3, fc.constantFrom('a', 'Z', '0', ' ', '_', 'IS NULL', 'word', 'select', '.', ',', '(', ')', '[', ']', ']]', '=')],
  [2, fc.string({ unit: 'binary', minLength: 1, maxLength: 4 }).map((text) => text.replaceAll('\0', '0'))],
];

const TAIL = fc.oneof(
  { weight: 5, arbitrary: fc.constant('') },
  { weight: 2, arbitrary: fc.constantFrom('\\', '\\\\', "\\'") },
  { weight: 1, arbitrary: fc.constantFrom("'", '"', '`', '$', '/', '-', '{', '$tag', '\n', ' ') },
);

function pieces(minimum: number, maximum: number): fc.Arbitrary<string> {
  const piece = fc.oneof(...PIECES.map(([weight, arbitrary]) => ({ weight, arbitrary })));
  return fc
    .tuple(fc.array(piece, { minLength: minimum, maxLength: maximum, size: 'max' }), TAIL)
    .map(([list, tail]) => `${list.join('')}${tail}`);
}

/** Texts that every engine can hold: well-formed, without NUL, not empty, of at most some 120 characters; dense in all classes. */
export function hostileText(): fc.Arbitrary<string> {
  return pieces(1, 12);
}

/** Names within a limit of bytes (UTF-8) or characters (code points), never empty. */
export function hostileName(limit: {
  readonly max: number;
  readonly unit: 'bytes' | 'characters';
}): fc.Arbitrary<string> {
  return pieces(1, 5).map((text) => cutTo(text, limit));
}

/** Texts that must be refused, with the code of the refusal. */
export function refusedText(): fc.Arbitrary<{ readonly text: string; readonly code: 'nul' | 'lone-surrogate' }> {
  const bad = fc.constantFrom(
    { mark: '\0', code: 'nul' as const },
    { mark: '\ud800', code: 'lone-surrogate' as const },
    { mark: '\udfff', code: 'lone-surrogate' as const },
  );
  // A letter on each side keeps a half from pairing up with its neighbour.
  return fc.tuple(hostileText(), bad, hostileText()).map(([before, { mark, code }, after]) => ({
    text: `${before}a${mark}a${after}`,
    code,
  }));
}

function cutTo(text: string, limit: { readonly max: number; readonly unit: 'bytes' | 'characters' }): string {
  let cut = '';
  let size = 0;
  for (const character of text) {
    size += limit.unit === 'bytes' ? Buffer.byteLength(character, 'utf8') : 1;
    if (size > limit.max) break;
    cut += character;
  }
  return cut;
}

/** A kind of place for a value: the template's text there, and what the engine must hold afterwards. */
export interface TestPlace {
  readonly name: string;
  readonly place: Place;
  /** Holds `{description}` where a text is meant, `{table}` where a name is. */
  readonly fragment: string;
  /** The whole text or name that results from a value. */
  expected(value: string): string;
  /** Bytes or characters that the fixed parts of an identifier take up. */
  readonly taken?: number;
}

const same = (value: string): string => value;

/** Every place of PostgreSQL that a text can stand in, for use where the grammar wants a literal (`COMMENT ON … IS <fragment>`). */
export const POSTGRES_TEXT_PLACES: readonly TestPlace[] = [
  { name: 'bare', place: 'bare', fragment: '{description}', expected: same },
  { name: 'bare after E', place: 'escape-string', fragment: 'E{description}', expected: same },
  { name: "'…'", place: 'string', fragment: "'{description}'", expected: same },
  {
    name: "'…' with neighbours",
    place: 'string',
    fragment: "'it''s \\ {{{description}}} \\\\ $$ -- ok'",
    expected: (value) => `it's \\ {${value}} \\\\ $$ -- ok`,
  },
  { name: "E'…'", place: 'escape-string', fragment: "E'{description}'", expected: same },
  {
    name: "E'…' with neighbours",
    place: 'escape-string',
    fragment: "e'\\'\\n{description}''\\\\'",
    expected: (value) => `'\n${value}'\\`,
  },
  { name: '$$…$$', place: 'dollar-quoted', fragment: '$$<{description}>$$', expected: (value) => `<${value}>` },
  {
    name: '$tag$…$tag$',
    place: 'dollar-quoted',
    fragment: ['$tag$', '{description}', '$tag$'].join(''),
    expected: same,
  },
];

/** Every place of PostgreSQL that a name can stand in. */
export const POSTGRES_NAME_PLACES: readonly TestPlace[] = [
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

/** Every place of MySQL and MariaDB that a text can stand in, where a plain literal is wanted (`COMMENT = <fragment>`). */
export const MYSQL_TEXT_PLACES: readonly TestPlace[] = [
  { name: 'bare', place: 'bare', fragment: '{description}', expected: same },
  { name: "'…'", place: 'string', fragment: "'{description}'", expected: same },
  {
    name: "'…' with neighbours",
    place: 'string',
    fragment: "'it''s \\\\ {{{description}}} \\' -- ok # $$'",
    expected: (value) => `it's \\ {${value}} ' -- ok # $$`,
  },
  { name: '"…"', place: 'double-quoted', fragment: '"{description}"', expected: same },
  {
    name: '"…" with neighbours',
    place: 'double-quoted',
    fragment: '"say ""{description}\\" it\'s"',
    expected: (value) => `say "${value}" it's`,
  },
];

/** Every place of MySQL and MariaDB that a name can stand in. */
export const MYSQL_NAME_PLACES: readonly TestPlace[] = [
  { name: 'bare name', place: 'bare', fragment: '{table}', expected: same },
  { name: '`…`', place: 'backquoted', fragment: '`{table}`', expected: same },
  {
    name: '`…` with neighbours',
    place: 'backquoted',
    fragment: '`pre_``{table}_x`',
    expected: (value) => `pre_\`${value}_x`,
    taken: 7,
  },
];
