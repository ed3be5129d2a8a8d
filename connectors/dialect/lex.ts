import { err, ok, type Result } from '../../src/domain/result.ts';
import type { Dialect, Region } from './dialect.ts';
import { isComment } from './dialect-from-table.ts';

/** A quoted or commented stretch. Offsets count UTF-16 units; the content lies between the quotes. */
export interface RegionToken {
  readonly kind: 'region';
  readonly region: Region;
  readonly start: number;
  readonly contentStart: number;
  readonly contentEnd: number;
  readonly end: number;
}

/** Everything outside quotes and comments: keywords and unquoted names, digits, white space, any other single character. */
export interface BareToken {
  readonly kind: 'word' | 'number' | 'space' | 'symbol';
  readonly start: number;
  readonly end: number;
}

export type Token = RegionToken | BareToken;

/** A region that never ends (`offset` is where it opens), that holds what can be read in two ways, or what the dialect does not allow outside of quotes. */
export interface LexError {
  readonly offset: number;
  readonly message: string;
}

type LexTable = Pick<Dialect, 'regions' | 'dollarQuoting' | 'plain'>;

const WORD = /[A-Za-z_\u0080-\uffff][A-Za-z0-9_$\u0080-\uffff]*/y;
const NUMBER = /[0-9]+/y;
const SPACE = /[ \t\n\r\f\v]+/y;
const DOLLAR_TAG = /\$(?:[A-Za-z_\u0080-\uffff][A-Za-z0-9_\u0080-\uffff]*)?\$/y;

/** Whether a character can be part of an unquoted word; also the no-break space and the like, which engines count as letters. */
export function isWordCharacter(character: string | undefined): boolean {
  return character !== undefined && /[A-Za-z0-9_$\u0080-\uffff]/.test(character);
}

/** Cuts a text into tokens without gaps, by the table of a dialect. */
export function lex(source: string, table: LexTable): Result<readonly Token[], LexError> {
  const regions = table.regions.toSorted((a, b) => b.open.length - a.open.length);
  const tokens: Token[] = [];
  let at = 0;
  while (at < source.length) {
    const region = regions.find((candidate) => opensAt(candidate, source, at)) ?? dollarRegion(table, source, at);
    if (region === undefined) {
      const token = bareToken(source, at);
      const text = source.slice(token.start, token.end);
      if (table.plain?.test(text) === false) {
        return err({
          offset: at,
          message: `${text} cannot stand outside of quotes: it can have a meaning of its own there`,
        });
      }
      tokens.push(token);
      at = token.end;
      continue;
    }
    const contentStart = at + region.open.length;
    const end = regionEnd(region, source, contentStart);
    if (end === undefined) {
      return err({ offset: at, message: `what ${region.open} opens here is never closed by ${region.close}` });
    }
    const backslash =
      region.backslashUnknown === undefined ? -1 : source.slice(contentStart, end.contentEnd).indexOf('\\');
    if (backslash >= 0) {
      return err({
        offset: contentStart + backslash,
        message: `servers differ in how they read a backslash between ${region.open} and ${region.close}: ${region.backslashUnknown}`,
      });
    }
    tokens.push({ kind: 'region', region, start: at, contentStart, ...end });
    at = end.end;
  }
  return ok(tokens);
}

/** Cuts tokens at top-level semicolons; stretches that hold nothing but white space and comments are left out. */
export function splitStatements(source: string, tokens: readonly Token[]): readonly (readonly Token[])[] {
  const statements: Token[][] = [];
  let current: Token[] = [];
  for (const token of tokens) {
    if (token.kind === 'symbol' && source[token.start] === ';') {
      statements.push(current);
      current = [];
    } else {
      current.push(token);
    }
  }
  statements.push(current);
  return statements.filter((statement) => statement.some(isSignificant));
}

/** Whether a token means something to the engine: neither white space nor a comment. */
export function isSignificant(token: Token): boolean {
  return token.kind === 'region'
    ? !isComment(token.region.place) || token.region.refuse !== undefined
    : token.kind !== 'space';
}

function opensAt(region: Region, source: string, at: number): boolean {
  const { open } = region;
  const there = source.slice(at, at + open.length);
  if (there !== open && !(/^[A-Za-z]/.test(open) && there.toUpperCase() === open.toUpperCase())) return false;
  return region.followedBySpace !== true || /^(?:[\0- \x7f]|$)/.test(source.charAt(at + open.length));
}

function dollarRegion(table: LexTable, source: string, at: number): Region | undefined {
  if (!table.dollarQuoting) return undefined;
  const tag = matchAt(DOLLAR_TAG, source, at);
  return tag === undefined
    ? undefined
    : { place: 'dollar-quoted', open: tag, close: tag, doubling: false, backslash: false };
}

function bareToken(source: string, start: number): BareToken {
  for (const [kind, pattern] of [
    ['space', SPACE],
    ['word', WORD],
    ['number', NUMBER],
  ] as const) {
    const text = matchAt(pattern, source, start);
    if (text !== undefined) return { kind, start, end: start + text.length };
  }
  return { kind: 'symbol', start, end: start + 1 };
}

function matchAt(pattern: RegExp, source: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(source)?.[0];
}

function regionEnd(region: Region, source: string, from: number): { contentEnd: number; end: number } | undefined {
  if (region.place === 'line-comment') {
    let end = from;
    while (end < source.length && !region.close.includes(source.charAt(end))) end += 1;
    return { contentEnd: end, end };
  }
  const { open, close } = region;
  let depth = 1;
  for (let at = from; at < source.length; ) {
    if (region.backslash && source[at] === '\\') {
      at += 2;
    } else if (region.nested === true && source.startsWith(open, at)) {
      depth += 1;
      at += open.length;
    } else if (!source.startsWith(close, at)) {
      at += 1;
    } else if (region.doubling && source.startsWith(close, at + close.length)) {
      at += 2 * close.length;
    } else {
      depth -= 1;
      if (depth === 0) return { contentEnd: at, end: at + close.length };
      at += close.length;
    }
  }
  return undefined;
}
