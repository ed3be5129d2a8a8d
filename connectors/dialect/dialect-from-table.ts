import { err, ok, type Result } from '../../src/domain/result.ts';
import type { Dialect, Place, QuoteRefusal, Region } from './dialect.ts';
import { refuseName, refuseText } from './refusal.ts';

/** A dialect without its functions: everything that differs from system to system. */
export interface DialectTable extends Omit<Dialect, 'quoteIdentifier' | 'quoteLiteral' | 'escapeInside'> {
  /** The place that `quoteIdentifier` makes. `quoteLiteral` always makes a `string`. */
  readonly identifierPlace: 'double-quoted' | 'backquoted' | 'bracketed';
}

const COMMENTS: ReadonlySet<Place> = new Set(['line-comment', 'block-comment']);

/** Whether a place is a comment: nothing is ever written into one. */
export function isComment(place: Place): boolean {
  return COMMENTS.has(place);
}

/** Whether the dialect reads a place of this kind as an identifier. */
export function holdsIdentifier(dialect: Pick<Dialect, 'doubleQuoted'>, place: Place): boolean {
  if (place === 'double-quoted') return dialect.doubleQuoted === 'identifier';
  return place === 'backquoted' || place === 'bracketed';
}

/** Makes the quoting functions of a dialect from its table. */
export function dialectFromTable(table: DialectTable): Dialect {
  const regionOf = (place: Place): Region | undefined =>
    table.regions.find((region) => region.place === place && region.refuse === undefined);

  return {
    ...table,
    quoteIdentifier(name) {
      const refusal = refuseName(name, table.identifier);
      if (refusal !== undefined) return err(refusal);
      const region = regionOf(table.identifierPlace);
      if (region === undefined) return err(noForm(table.identifierPlace));
      return ok(`${region.open}${escapeIn(region, name)}${region.close}`);
    },
    quoteLiteral(text) {
      const refusal = refuseText(text);
      if (refusal !== undefined) return err(refusal);
      const region = regionOf('string');
      return region === undefined ? err(noForm('string')) : ok(quoteIn(region, text));
    },
    escapeInside(place, text): Result<string, QuoteRefusal> {
      const region = isComment(place) ? undefined : regionOf(place);
      if (region === undefined) return err(noForm(place));
      const refusal = holdsIdentifier(table, place) ? refuseName(text, table.identifier) : refuseText(text);
      return refusal === undefined ? ok(escapeIn(region, text)) : err(refusal);
    },
  };
}

/** A whole region that holds exactly this text, in the form that is right whatever modes the session has, where there is one. */
function quoteIn(region: Region, text: string): string {
  if (region.backslashOpen !== undefined && text.includes('\\')) {
    return `${region.backslashOpen}${escapeIn({ ...region, backslash: true }, text)}${region.close}`;
  }
  return `${region.open}${escapeIn(region, text)}${region.close}`;
}

function escapeIn(region: Region, text: string): string {
  // Looking first is far cheaper than replacing nothing, which is what happens with nearly every text.
  const escaped = region.backslash && text.includes('\\') ? text.replaceAll('\\', '\\\\') : text;
  if (!escaped.includes(region.close)) return escaped;
  return escaped.replaceAll(region.close, region.doubling ? region.close + region.close : `\\${region.close}`);
}

function noForm(place: Place): QuoteRefusal {
  return { code: 'not-representable', message: `the dialect has no safe form for a value in this place (${place})` };
}
