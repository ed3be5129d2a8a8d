import { err, ok, type Result } from '../../src/domain/result.ts';
import { type Token, TokenScan, unquoteString } from './tokens.ts';

/** Why a definition must not be restated; the text is for a person. */
type Refused = string;

interface Parsed {
  readonly text: string;
  /** Without spaces. */
  readonly tokens: readonly Token[];
}

/** Where the comment of a definition stands, with the word before it, or where it is to be put in. */
interface CommentPlace {
  readonly start: number;
  readonly end: number;
  /** Where the quoted text begins; undefined: there is none. */
  readonly value: number | undefined;
}

/** The comment that a column's definition carries; undefined: none. */
export function columnComment(definition: string): Result<string | undefined, Refused> {
  const place = commentPlace(definition);
  if (!place.ok) return place;
  const { value, end } = place.value;
  return ok(value === undefined ? undefined : unquoteString(definition.slice(value, end)));
}

/**
 * The same definition with this comment instead of its own, wherever that stands; `literal` is a quoted SQL string,
 * undefined takes the comment out. Nothing else of the text is touched.
 */
export function withColumnComment(definition: string, literal: string | undefined): Result<string, Refused> {
  const place = commentPlace(definition);
  if (!place.ok) return place;
  const { start, end } = place.value;
  const before = definition.slice(0, start).trimEnd();
  const after = definition.slice(end).trimStart();
  return ok((literal === undefined ? `${before} ${after}` : `${before} COMMENT ${literal} ${after}`).trimEnd());
}

/**
 * Whether SHOW CREATE TABLE can have printed this definition without loss. It prints literal defaults and the values of enum and set
 * in utf8mb3: what lies outside the Basic Multilingual Plane comes out as `?`, and bytes that are no text as U+FFFD. Restating such a
 * definition would change the default or the values, and no comparison of what is printed could show it.
 * `tableCharset`: the table's default, for columns that name none.
 */
export function lossOf(definition: string, tableCharset: string | undefined): Refused | undefined {
  const place = commentPlace(definition);
  if (!place.ok) return place.error;
  // Nothing below can be true of the others: nearly all.
  if (!/[?\ufffd]/.test(definition)) return undefined;
  const parsed = parse(definition);
  if (!parsed.ok) return parsed.error;
  const { tokens } = parsed.value;
  const strings = tokens.filter(({ kind, start }) => kind === 'string' && start !== place.value.value);
  if (strings.some((token) => slice(parsed.value, token).includes('�'))) {
    return 'its definition holds bytes that SHOW CREATE TABLE cannot print as text';
  }
  if (!holdsAstral(parsed.value, tableCharset)) return undefined;
  const literals = strings.filter((token) => isTypeValue(parsed.value, token) || isLiteralDefault(parsed.value, token));
  if (literals.some((token) => slice(parsed.value, token).includes('?'))) {
    return 'its default or its list of values holds a "?", which is also what SHOW CREATE TABLE prints for characters such as emoji';
  }
  return undefined;
}

/** Whether the server would copy the table to restate this definition (1845 on MariaDB 10.11): a generated column that it stores. */
export function needsCopy(definition: string): boolean {
  if (!STORING_ANYWHERE.test(definition)) return false;
  const parsed = parse(definition);
  return parsed.ok && parsed.value.tokens.some((token) => STORING.some((word) => isWord(parsed.value, token, word)));
}

const STORING = ['STORED', 'PERSISTENT'] as const;
/** Far cheaper than the tokens, and false for nearly all. */
const STORING_ANYWHERE = new RegExp(STORING.join('|'), 'i');

/**
 * MariaDB prints a JSON column as `longtext … utf8mb4_bin … CHECK (json_valid(…))`, and takes just that, restated, for a change of type
 * (1846). Restated as `json` it is the same column. Other definitions come back as they are. (MariaDB 10.11, measured.)
 */
export function restatedAsJson(definition: string): string {
  if (!/longtext/i.test(definition)) return definition;
  const parsed = parse(definition);
  if (!parsed.ok) return definition;
  const { tokens } = parsed.value;
  const words = tokens.slice(1, 7).map((token) => slice(parsed.value, token).toLowerCase());
  const check = tokens.slice(-7).map((token) => slice(parsed.value, token));
  const first = tokens[0];
  const type = tokens[1];
  const charsetEnd = tokens[6];
  const checkStart = tokens.at(-7);
  if (first === undefined || type === undefined || charsetEnd === undefined || checkStart === undefined)
    return definition;
  const name = slice(parsed.value, first);
  const isJson =
    words.join(' ') === 'longtext character set utf8mb4 collate utf8mb4_bin' &&
    check.join('').toLowerCase() === `check(json_valid(${name.toLowerCase()}))`;
  if (!isJson) return definition;
  const middle = definition.slice(charsetEnd.end, checkStart.start).trim();
  return [name, 'json', middle].join(' ').trimEnd();
}

function parse(definition: string): Result<Parsed, Refused> {
  const tokens: Token[] = [];
  const scan = new TokenScan(definition);
  while (scan.next()) {
    const { kind, start, end, depth } = scan;
    if (kind !== 'space') tokens.push({ kind, start, end, depth });
  }
  if (scan.error !== undefined) return err(`its definition cannot be read: ${scan.error}`);
  if (tokens[0]?.kind !== 'name') return err('its definition does not begin with its name');
  return ok({ text: definition, tokens });
}

/** What was looked through last: a plan asks several things of one definition. */
let last: { readonly definition: string; readonly place: Result<CommentPlace, Refused> } | undefined;

function commentPlace(definition: string): Result<CommentPlace, Refused> {
  if (last?.definition !== definition) last = { definition, place: findComment(definition) };
  return last.place;
}

/**
 * The first COMMENT outside of parentheses that a string follows. Where there is none, it is put in at the end, or before CHECK, since
 * MariaDB's grammar wants it there.
 */
function findComment(definition: string): Result<CommentPlace, Refused> {
  const scan = new TokenScan(definition);
  let first: Token['kind'] | undefined;
  let found: CommentPlace | undefined;
  let check: number | undefined;
  /** The word before the present token, when it is one of the two. */
  let word: 'COMMENT' | 'CHECK' | undefined;
  let wordStart = 0;
  while (scan.next()) {
    const { kind, start, end, depth } = scan;
    if (kind === 'space') continue;
    first ??= kind;
    if (word === 'COMMENT' && kind === 'string' && depth === 0) found ??= { start: wordStart, end, value: start };
    if (word === 'CHECK' && definition.charAt(start) === '(') check ??= wordStart;
    word = undefined;
    if (kind !== 'word' || depth !== 0) continue;
    if (isText(definition, scan, 'COMMENT')) word = 'COMMENT';
    else if (isText(definition, scan, 'CHECK')) word = 'CHECK';
    wordStart = start;
  }
  if (scan.error !== undefined) return err(`its definition cannot be read: ${scan.error}`);
  if (first !== 'name') return err('its definition does not begin with its name');
  const end = check ?? definition.length;
  return ok(found ?? { start: end, end, value: undefined });
}

function slice({ text }: Parsed, token: Token): string {
  return text.slice(token.start, token.end);
}

function isWord(parsed: Parsed, token: Token | undefined, word: string): boolean {
  return token?.kind === 'word' && token.depth === 0 && isText(parsed.text, token, word);
}

/** Whether a token is this word of SQL, in whatever case; such words are ASCII, so that it does not bear on their length. */
function isText(text: string, { start, end }: Token, word: string): boolean {
  return end - start === word.length && text.slice(start, end).toUpperCase() === word;
}

/** Character sets with characters beyond the Basic Multilingual Plane. */
const ASTRAL_CHARSETS: ReadonlySet<string> = new Set(['utf8mb4', 'utf16', 'utf16le', 'utf32', 'gb18030']);

function holdsAstral(parsed: Parsed, tableCharset: string | undefined): boolean {
  const { tokens } = parsed;
  const at = tokens.findIndex((token, i) => isWord(parsed, token, 'CHARACTER') && isWord(parsed, tokens[i + 1], 'SET'));
  const named = tokens[at + 2];
  if (at >= 0 && named !== undefined) return ASTRAL_CHARSETS.has(slice(parsed, named).toLowerCase());
  const type = tokens[1] === undefined ? '' : slice(parsed, tokens[1]).toLowerCase();
  if (!/char|text|^enum$|^set$/.test(type)) return false;
  return tableCharset === undefined || ASTRAL_CHARSETS.has(tableCharset.toLowerCase());
}

/** Inside the parentheses right behind the type: a value of enum or set. */
function isTypeValue(parsed: Parsed, token: Token): boolean {
  const { tokens } = parsed;
  const close = tokens.findIndex(({ depth, start }) => depth === 1 && parsed.text.charAt(start) === ')');
  return parsed.text.charAt(tokens[2]?.start ?? -1) === '(' && token.start < (tokens[close]?.start ?? 0);
}

function isLiteralDefault(parsed: Parsed, token: Token): boolean {
  const before = parsed.tokens[parsed.tokens.indexOf(token) - 1];
  return token.depth === 0 && isWord(parsed, before, 'DEFAULT');
}
