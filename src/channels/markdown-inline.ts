import { decodeEntities } from './html-to-text.ts';

const ESCAPABLE = /[!-/:-@[-`{-~]/;
const WORD = /[\p{L}\p{N}]/u;
/** Characters that a link or a code span may have; bounds the search for its end. */
const MAX_LINK = 1000;

/** A run of `*`, `_` or `~` that may open or close an emphasis, and the piece of output that holds it. */
interface Opener {
  readonly mark: string;
  readonly piece: number;
}

/**
 * One paragraph or line of Markdown without its inline marks: emphasis, code, links (`text (address)`), images, escapes.
 * A mark without its partner is text and stays. One pass from the left; links are searched for only as far as they may be long.
 */
export function inlineToPlain(text: string): string {
  const pieces: string[] = [];
  const openers: Opener[] = [];
  let at = 0;
  while (at < text.length) {
    const char = text.charAt(at);
    if (char === '\\' && ESCAPABLE.test(text.charAt(at + 1))) {
      pieces.push(text.charAt(at + 1));
      at += 2;
    } else if (char === '`') {
      at = codeSpan(text, at, pieces);
    } else if (char === '[' || (char === '!' && text.charAt(at + 1) === '[')) {
      at = link(text, at, pieces);
    } else if (char === '*' || char === '_' || char === '~') {
      at = emphasis(text, at, char, pieces, openers);
    } else {
      const end = nextSpecial(text, at + 1);
      pieces.push(decodeEntities(text.slice(at, end)));
      at = end;
    }
  }
  return pieces.join('');
}

function nextSpecial(text: string, from: number): number {
  let at = from;
  while (at < text.length && !'\\`[!*_~'.includes(text.charAt(at))) at += 1;
  return at;
}

function runLength(text: string, at: number, char: string): number {
  let end = at;
  while (text.charAt(end) === char) end += 1;
  return end - at;
}

/** What stands between equal runs of backquotes stays untouched. */
function codeSpan(text: string, at: number, pieces: string[]): number {
  const length = runLength(text, at, '`');
  const end = codeSpanEnd(text, at);
  pieces.push(end === undefined ? '`'.repeat(length) : text.slice(at + length, end - length));
  return end ?? at + length;
}

/** The end of the code span whose backquotes begin at `at`; undefined when they are never closed. */
export function codeSpanEnd(text: string, at: number): number | undefined {
  const length = runLength(text, at, '`');
  const window = text.slice(at + length, at + length + MAX_LINK);
  const end = window.indexOf('`'.repeat(length));
  return end === -1 ? undefined : at + length + end + length;
}

function link(text: string, at: number, pieces: string[]): number {
  const image = text.charAt(at) === '!';
  const open = at + (image ? 1 : 0);
  const window = text.slice(open + 1, open + 1 + MAX_LINK);
  const middle = window.indexOf('](');
  const end = middle === -1 ? -1 : closingBracket(window, middle + 2);
  const label = middle === -1 ? '' : window.slice(0, middle);
  if (end === -1 || label.includes('\n\n') || (label.includes('[') && !label.startsWith('!['))) {
    pieces.push(text.slice(at, open + 1));
    return open + 1;
  }
  const address = (
    window
      .slice(middle + 2, end)
      .trim()
      .split(/\s/)[0] ?? ''
  ).replace(/^<|>$/g, '');
  const name = label.includes('[') ? label.replace(/[![\]]/g, '') : inlineToPlain(label);
  pieces.push(image || address === '' || address === name ? name : name === '' ? address : `${name} (${address})`);
  return open + 1 + end + 1;
}

/** The bracket that ends an address; brackets inside it come in pairs. */
function closingBracket(text: string, from: number): number {
  let depth = 0;
  for (let at = from; at < text.length; at += 1) {
    const char = text.charAt(at);
    if (char === '(') depth += 1;
    if (char === ')') {
      if (depth === 0) return at;
      depth -= 1;
    }
    if (char === '\n') return -1;
  }
  return -1;
}

function emphasis(text: string, at: number, char: string, pieces: string[], openers: Opener[]): number {
  const length = runLength(text, at, char);
  const mark = char.repeat(length);
  const before = text.charAt(at - 1);
  const after = text.charAt(at + length);
  const inWord = char === '_' && WORD.test(before) && WORD.test(after);
  const usable = length <= 3 && !inWord && (char !== '~' || length === 2);
  const closes = usable && before !== '' && !/\s/.test(before);
  const opens = usable && after !== '' && !/\s/.test(after);
  pieces.push(mark);
  if (closes) {
    const partner = openers.findLastIndex((opener) => opener.mark === mark);
    const opener = openers[partner];
    if (opener !== undefined) {
      pieces[opener.piece] = '';
      pieces[pieces.length - 1] = '';
      openers.length = partner;
      return at + length;
    }
  }
  // Six kinds of mark exist; an opener of a kind that is already open is text, so the stack stays short.
  if (opens && !openers.some((opener) => opener.mark === mark)) openers.push({ mark, piece: pieces.length - 1 });
  return at + length;
}
