import type { Dialect, Place, Region } from '../../connectors/dialect/dialect.ts';
import { holdsIdentifier, isComment } from '../../connectors/dialect/dialect-from-table.ts';
import { isSignificant, isWordCharacter, type Token } from '../../connectors/dialect/lex.ts';
import { HOLE } from './scan-placeholders.ts';
import type { Variable } from './variables.ts';

/** Why a placeholder cannot stand where it stands. */
export interface PlaceProblem {
  readonly message: string;
  readonly hint?: string;
}

/** Whether the dialect reads a place of this kind as a text. */
export function holdsText(dialect: Dialect, place: Place): boolean {
  return !isComment(place) && !holdsIdentifier(dialect, place);
}

/** Checks a placeholder inside quotes. `before` is the fixed text between it and what stands before it in the region. */
export function checkInside(
  variable: Variable,
  region: Region,
  before: string,
  dialect: Dialect,
): PlaceProblem | undefined {
  const { name } = variable;
  if (region.refuse !== undefined) {
    return { message: `{${name}} cannot stand in ${region.open}…${region.close}: ${region.refuse}` };
  }
  if (region.place !== 'dollar-quoted') {
    const probe = dialect.escapeInside(region.place, 'x');
    if (!probe.ok) return { message: `{${name}} cannot stand here: ${probe.error.message}` };
  }
  if (variable.kind === 'list') {
    return { message: `{${name}} is a list and cannot stand inside quotes`, hint: `write {${name}} without quotes` };
  }
  if (variable.kind === 'inside' && holdsIdentifier(dialect, region.place)) {
    return { message: `{${name}} can only stand inside a string` };
  }
  if (region.backslash && OPEN_ESCAPE.test(before)) {
    return {
      message: `the backslash before {${name}} would take in the beginning of its value`,
      hint: 'write \\\\ for a backslash itself',
    };
  }
  return undefined;
}

/** A backslash sequence at the end of a text that more characters could belong to: `\`, `\x4`, `\u00`, `\1`. ClickHouse takes any two behind `\x`. */
const OPEN_ESCAPE = /(?:^|[^\\])(?:\\\\)*\\(?:x.?|u[0-9a-f]{0,3}|U[0-9a-f]{0,7}|[0-7]{1,2})?$/is;

/** Checks a placeholder outside of all quotes; `offset` is that of its `HOLE` in `text`. `prefixed`: an `N` or `E` before it belongs to it. */
export function checkBare(
  variable: Variable,
  text: string,
  offset: number,
  prefixed: boolean,
  dialect: Dialect,
): PlaceProblem | undefined {
  const { name } = variable;
  if (variable.kind === 'inside') {
    return { message: `{${name}} can only stand inside a string`, hint: `write '{${name}}'` };
  }
  if (variable.kind === 'list' && dialect.tagList === undefined) {
    return { message: `${dialect.name} has no form for a list of tags`, hint: 'use {tag_key} and {tag_value}' };
  }
  const prefix = prefixBefore(text, offset, dialect);
  if (prefix?.refuse !== undefined) {
    return { message: `{${name}} cannot stand after ${prefix.open.slice(0, -1)}: ${prefix.refuse}` };
  }
  const touches = (character: string | undefined): boolean =>
    character === HOLE || isWordCharacter(character) || isQuote(character, dialect);
  if ((!prefixed && touches(text[offset - 1])) || touches(text[offset + 1])) {
    return {
      message: `{${name}} becomes a whole ${variable.kind} of its own and cannot touch a word, a quote or another placeholder`,
      hint: 'put the quotes around all of it, or a blank between',
    };
  }
  return undefined;
}

/** The region that a prefix directly before a bare placeholder would open with the quote to come: `N{description}`. */
export function prefixBefore(text: string, offset: number, dialect: Dialect): Region | undefined {
  return dialect.regions.find(({ open }) => {
    if (!/^[A-Za-z].*["'`[]$/.test(open)) return false;
    const start = offset - open.length + 1;
    const there = text.slice(Math.max(0, start), offset);
    return there.toUpperCase() === open.slice(0, -1).toUpperCase() && !isWordCharacter(text[start - 1]);
  });
}

function isQuote(character: string | undefined, dialect: Dialect): boolean {
  return character !== undefined && dialect.regions.some((r) => !isComment(r.place) && r.close === character);
}

/**
 * The second of two literals in a row, by its offset. Some engines glue them together, PostgreSQL even reads the second by the rules
 * of the first, so what stands in which place would not be certain. `isText` says whether a token is, or will be, a literal.
 */
export function adjacentLiteral(statement: readonly Token[], isText: (token: Token) => boolean): Token | undefined {
  const significant = statement.filter(isSignificant);
  return significant.find((token, index) => {
    const before = significant[index - 1];
    return before !== undefined && isText(before) && isText(token);
  });
}
