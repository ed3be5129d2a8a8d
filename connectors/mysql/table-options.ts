import { withColumnComment } from './column-definition.ts';
import type { CreateTable } from './show-create.ts';
import { tokenize, unquoteString } from './tokens.ts';

/** An option behind the list of columns (`COMMENT='…'`, `AUTO_INCREMENT=7`): where it stands in the text, and its value as printed. */
interface TableOption {
  readonly start: number;
  readonly end: number;
  readonly value: string;
}

function tableOption({ text, optionsStart }: CreateTable, name: string): TableOption | undefined {
  // Behind the closing parenthesis of the columns.
  const offset = optionsStart + 1;
  const options = text.slice(offset);
  const tokens = tokenize(options);
  if (!tokens.ok) return undefined;
  const solid = tokens.value.filter(({ kind }) => kind !== 'space');
  for (const [i, token] of solid.entries()) {
    const equals = solid[i + 1];
    const value = solid[i + 2];
    if (token.kind !== 'word' || token.depth !== 0 || value === undefined) continue;
    if (options.slice(token.start, token.end) !== name || options.charAt(equals?.start ?? -1) !== '=') continue;
    return {
      start: offset + token.start,
      end: offset + value.end,
      value: options.slice(value.start, value.end),
    };
  }
  return undefined;
}

/** The table's comment; empty: none. */
export function tableComment(create: CreateTable): string {
  const option = tableOption(create, 'COMMENT');
  return option === undefined ? '' : unquoteString(option.value);
}

/** The character set of columns that name none. */
export function tableCharset(create: CreateTable): string | undefined {
  return tableOption(create, 'CHARSET')?.value;
}

/** What a write was meant to change. */
export interface Written {
  readonly table: boolean;
  readonly columns: ReadonlySet<string>;
}

/**
 * The text of SHOW CREATE TABLE without the comments that were written, and without AUTO_INCREMENT, which rows move. Two of them that
 * differ mean that a write changed more than it was to.
 */
export function definitionWithout(create: CreateTable, written: Written): string {
  const cuts: { start: number; end: number; text: string }[] = [];
  for (const { name, definition, start, end } of create.columns) {
    if (!written.columns.has(name)) continue;
    const bare = withColumnComment(definition, undefined);
    cuts.push({ start, end, text: bare.ok ? bare.value : definition });
  }
  for (const name of ['AUTO_INCREMENT', ...(written.table ? ['COMMENT'] : [])]) {
    const option = tableOption(create, name);
    // With the blank before it.
    if (option !== undefined) cuts.push({ start: option.start - 1, end: option.end, text: '' });
  }
  const pieces: string[] = [];
  let from = 0;
  for (const cut of cuts.sort((a, b) => a.start - b.start)) {
    pieces.push(create.text.slice(from, cut.start), cut.text);
    from = cut.end;
  }
  return [...pieces, create.text.slice(from)].join('');
}
