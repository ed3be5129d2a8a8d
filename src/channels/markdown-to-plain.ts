import { stripHtml } from './html-to-text.ts';
import { inlineToPlain } from './markdown-inline.ts';

const FENCE = /^ {0,3}(`{3,}|~{3,})/;
const HEADING = /^ {0,3}#{1,6}(?:[ \t]+|$)/;
const RULE = /^ {0,3}(?:-[ \t]*){3,}$|^ {0,3}(?:\*[ \t]*){3,}$|^ {0,3}(?:_[ \t]*){3,}$|^ {0,3}={3,}[ \t]*$/;
const QUOTE = /^ {0,3}>[ ]?/;
const BULLET = /^([ \t]*)[*+-][ \t]+/;
const TABLE_RULE = /^\|?(?:[ \t]*:?-+:?[ \t]*\|)+(?:[ \t]*:?-+:?)?$/;

/**
 * A description without its Markdown and HTML marks, for systems and people that show plain text (channel option
 * `description: plain`). Headings, lists and line breaks stay readable, links become `text (address)`, code stays as it is.
 * Text without marks comes back unchanged but for outer blank lines. The work grows with the length of the text alone.
 */
export function markdownToPlain(source: string): string {
  const output: string[] = [];
  let prose: string[] = [];
  let fence: string | undefined;
  const flush = (): void => {
    if (prose.length > 0) output.push(proseToPlain(prose.join('\n')));
    prose = [];
  };
  for (const line of source.replace(/\r\n?/g, '\n').split('\n')) {
    const mark = FENCE.exec(line)?.[1];
    if (fence === undefined && mark !== undefined) {
      flush();
      fence = mark;
    } else if (fence !== undefined && mark?.startsWith(fence)) {
      fence = undefined;
    } else if (fence !== undefined) {
      output.push(line);
    } else {
      prose.push(line);
    }
  }
  flush();
  return output
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .replace(/^\n+/, '')
    .trimEnd();
}

function proseToPlain(text: string): string {
  const lines = stripHtml(text)
    .split('\n')
    .filter((line) => !TABLE_RULE.test(line.trim()));
  return inlineToPlainLines(lines.map(blockMarks));
}

/** Marks of emphasis may span the lines of a paragraph, so paragraphs are taken whole. */
function inlineToPlainLines(lines: readonly string[]): string {
  const paragraphs: string[][] = [[]];
  for (const line of lines) {
    if (line.trim() === '') paragraphs.push([]);
    else paragraphs.at(-1)?.push(line);
  }
  return paragraphs.map((paragraph) => inlineToPlain(paragraph.join('\n'))).join('\n');
}

function blockMarks(line: string): string {
  if (line.length > 3 && RULE.test(line)) return '';
  let text = line.trimEnd();
  for (let depth = 0; depth < 10 && QUOTE.test(text); depth += 1) text = text.replace(QUOTE, '');
  if (HEADING.test(text)) return withoutClosingMarks(text.replace(HEADING, ''));
  if (/^\s*\|.*\|$/.test(text)) return text.trim().slice(1, -1).trim();
  return text.replace(BULLET, '$1- ');
}

/** `# Title ##` is the title alone; marks that touch a word belong to it (`C#`). */
function withoutClosingMarks(title: string): string {
  let end = title.length;
  while (title.charAt(end - 1) === '#') end -= 1;
  const before = title.charAt(end - 1);
  return before === '' || before === ' ' || before === '\t' ? title.slice(0, end).trimEnd() : title;
}
