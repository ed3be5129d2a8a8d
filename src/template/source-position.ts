/** A place in a template's text for a person: both count from 1, columns in characters (code points). */
export interface SourcePosition {
  readonly line: number;
  readonly column: number;
}

/** Line and column of an offset (UTF-16 units). Lines end at LF, CR LF or CR. */
export function positionAt(source: string, offset: number): SourcePosition {
  const lines = source.slice(0, offset).split(/\r\n|\n|\r/);
  return { line: lines.length, column: [...(lines.at(-1) ?? '')].length + 1 };
}
