import { stripHtml } from './html-to-text.ts';
import { codeSpanEnd, inlineToPlain } from './markdown-inline.ts';

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

/** Marks of emphasis may span the lines of a paragraph, so paragraphs are taken whole. */
function proseToPlain(text: string): string {
  const output: string[] = [];
  let paragraph: string[] = [];
  const flush = (): void => {
    if (paragraph.length > 0) output.push(inlineToPlain(paragraph.join('\n')));
    paragraph = [];
  };
  for (const line of stripHtmlOutsideCode(text).split('\n')) {
    if (TABLE_RULE.test(line.trim())) continue;
    const content = blockMarks(line);
    if (content.trim() !== '') {
      paragraph.push(content);
    } else {
      flush();
      output.push('');
    }
  }
  flush();
  return output.join('\n');
}

/** A tag between backquotes is an example of a tag. */
function stripHtmlOutsideCode(text: string): string {
  let result = '';
  let from = 0;
  let at = text.indexOf('`');
  while (at !== -1) {
    const end = codeSpanEnd(text, at);
    if (end === undefined) {
      while (text.charAt(at) === '`') at += 1;
      at = text.indexOf('`', at);
      continue;
    }
    result += stripHtml(text.slice(from, at)) + text.slice(at, end);
    from = end;
    at = text.indexOf('`', end);
  }
  return result + stripHtml(text.slice(from));
}

function blockMarks(line: string): string {
  if (RULE.test(line)) return '';
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
