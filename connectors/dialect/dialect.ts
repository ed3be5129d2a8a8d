import type { Result } from '../../src/domain/result.ts';

/** Why a text or a name cannot be written in a place. */
export interface QuoteRefusal {
  readonly code: 'nul' | 'lone-surrogate' | 'too-long' | 'not-representable';
  readonly message: string;
}

/** The kinds of place in a statement that a placeholder can stand in; each has its own escaping rule, or none that is safe. */
export type Place =
  | 'bare'
  | 'string' // '…'
  | 'escape-string' // E'…'
  | 'national-string' // N'…'
  | 'double-quoted' // "…": identifier or string, as the dialect says
  | 'backquoted' // `…`
  | 'bracketed' // […]
  | 'dollar-quoted' // $tag$…$tag$
  | 'line-comment'
  | 'block-comment';

/**
 * One quoted or commented region as the lexer table of a dialect describes it.
 * Where two openings fit, the longer one counts. A line comment ends before any one character of its `close`, or at the end of the text.
 */
export interface Region {
  readonly place: Exclude<Place, 'bare'>;
  /** Matched case-insensitively where it starts with a letter. */
  readonly open: string;
  readonly close: string;
  /** A doubled closing quote stands for itself. */
  readonly doubling: boolean;
  /** A backslash takes away the meaning of the next character. */
  readonly backslash: boolean;
  readonly nested?: boolean;
  /** Opens only before a space, a control character or the end (MySQL's `--`). */
  readonly followedBySpace?: boolean;
  /** Opens an escape string instead when the text holds a backslash: right in every mode of the session (PostgreSQL's `E'`). */
  readonly backslashOpen?: string;
  /**
   * Whether a backslash escapes in it depends on the server, and no setting of the session pins that (Redshift). So fixed text may
   * hold none (this says what to write instead), and a value that holds one makes the whole region the dialect's literal.
   */
  readonly backslashUnknown?: string;
  /** Why no placeholder may stand in it, although its kind of place has a rule (`X'…'`, `U&'…'`). Comments never need it. */
  readonly refuse?: string;
}

/**
 * A dialect is a table: what opens and closes quoted places, and how each kind of place is escaped.
 * The lexer (`lex`) is one for all dialects. The table is true only in the session modes that the connector pins.
 */
export interface Dialect {
  readonly name: string;
  readonly regions: readonly Region[];
  readonly dollarQuoting: boolean;
  /** What a token outside of quotes and comments may be made of; absent: anything. Text with any other token cannot be lexed. */
  readonly plain?: RegExp;
  /** What a double-quoted place holds. */
  readonly doubleQuoted: 'identifier' | 'string';
  /** Characters (or bytes) of an identifier at the most. */
  readonly identifier: { readonly max: number; readonly unit: 'characters' | 'bytes' };
  /** Whether a trailing block comment with fixed ASCII text may follow a statement. */
  readonly trailingComment: boolean;
  /** Words after which a cleared description is written as NULL (`IS`); elsewhere it is the empty literal. */
  readonly nullAfter?: readonly string[];
  /** First words of statements whose texts are run as code (`DO`): no value can be made safe in them. Lower case. */
  readonly codeStatements?: readonly string[];
  /** How the path of a nested column becomes one name; undefined: the dialect has no nested columns. */
  joinColumn?(path: readonly string[]): string;
  quoteIdentifier(name: string): Result<string, QuoteRefusal>;
  quoteLiteral(text: string): Result<string, QuoteRefusal>;
  /** The text as it has to stand *inside* a place of this kind (without the quotes). */
  escapeInside(place: Place, text: string): Result<string, QuoteRefusal>;
  /** The dialect's list of tags for a bare `{tags}`; undefined: the dialect has none. */
  tagList?(tags: readonly { readonly key: string; readonly value: string }[]): Result<string, QuoteRefusal>;
}
