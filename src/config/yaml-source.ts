import { createHash } from 'node:crypto';
import {
  type Document,
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseDocument,
  Scalar,
  visit,
  type YAMLError,
} from 'yaml';
import { err, ok, type Result } from '../domain/result.ts';
import type { ConfigPath, ConfigPlace, ConfigProblem } from './problem.ts';
import { markReferences } from './reference-marks.ts';

/** Bytes that one file of the configuration may have. */
export const MAX_FILE_BYTES = 4 * 1024 * 1024;
/** Nodes that aliases may multiply to; far above honest use of anchors, far below a document that was built to explode. */
const MAX_ALIASES = 200;

/** Each alias is looked up in the whole document, so their number is bounded too. */
const MAX_ALIAS_NODES = 2000;

/** The text of one file. `file` is the name that people know it by. */
export interface ConfigSource {
  readonly file: string;
  readonly text: string;
}

export interface ParsedYaml {
  readonly file: string;
  readonly value: unknown;
  /** The place of what stands at the path: of a map's entry its key. `inside` counts in the text of a scalar. */
  locate(path: ConfigPath, inside?: { readonly line: number; readonly column: number }): ConfigPlace;
}

/** Reads one YAML document (anchors and merge keys included) and keeps the places of its nodes. */
export function parseYaml(source: ConfigSource): Result<ParsedYaml, readonly ConfigProblem[]> {
  const { file, text } = source;
  const whole = (message: string, hint: string): Result<never, readonly ConfigProblem[]> =>
    err([{ path: [], file, line: 1, column: 1, message, hint }]);
  if (Buffer.byteLength(text) > MAX_FILE_BYTES) {
    return whole(`the file is larger than ${MAX_FILE_BYTES} bytes`, 'split it into a folder of files');
  }
  const lines = new LineCounter();
  try {
    const marks = markReferences(text);
    const document = parseDocument(marks.text, {
      merge: true,
      lineCounter: lines,
      prettyErrors: false,
      version: '1.2',
    });
    const faults = [...document.errors, ...document.warnings];
    const found = [
      ...withoutEchoes(faults).map(({ pos, message, code }) => ({
        at: pos[0],
        message: marks.restore(message),
        hint: yamlHint(code),
      })),
      ...unknownAliases(document),
    ];
    if (found.length > 0) {
      return err(
        found.map(({ at, message, hint }) => {
          const { line, col } = lines.linePos(at);
          const place = { path: [], file, line, column: col };
          return { ...place, message: `YAML: ${message}`, ...(hint === undefined ? {} : { hint }) };
        }),
      );
    }
    const value = restoreTexts(document.toJS({ maxAliasCount: MAX_ALIASES }), marks.restore);
    return ok({ file, value, locate: (path, inside) => locate(document, lines, source, path, inside) });
  } catch (error) {
    if (error instanceof RangeError) return whole('the file is nested too deeply to be read', 'make it flatter');
    return whole('the anchors of the file multiply too often', 'write out what the aliases stand for');
  }
}

/** After the first token in a wrong place the parser stumbles over everything that follows. */
function withoutEchoes(faults: readonly YAMLError[]): readonly YAMLError[] {
  const first = faults.findIndex(({ code }) => code === 'UNEXPECTED_TOKEN');
  return faults.filter(({ code }, index) => code !== 'UNEXPECTED_TOKEN' || index === first);
}

/** What several aliases share stays shared: only later bounds say how much of it there may be. */
function restoreTexts(root: unknown, restore: (text: string) => string): unknown {
  const done = new Map<object, unknown>();
  const copy = (value: unknown): unknown => {
    if (typeof value === 'string') return restore(value);
    if (typeof value !== 'object' || value === null) return value;
    const known = done.get(value);
    if (known !== undefined) return known;
    const result: unknown = Array.isArray(value)
      ? value.map(copy)
      : Object.fromEntries(Object.entries(value).map(([key, item]) => [restore(key), copy(item)]));
    done.set(value, result);
    return result;
  };
  return copy(root);
}

interface YamlFault {
  readonly at: number;
  readonly message: string;
  readonly hint: string | undefined;
}

function unknownAliases(document: Document): YamlFault[] {
  const faults: YamlFault[] = [];
  let count = 0;
  visit(document, {
    Alias: (_, alias) => {
      count += 1;
      if (count > MAX_ALIAS_NODES) {
        faults.push({
          at: startOf(alias),
          message: `there are more than ${MAX_ALIAS_NODES} aliases`,
          hint: 'write some of them out',
        });
        return visit.BREAK;
      }
      if (alias.resolve(document) !== undefined) return undefined;
      const hint = `put &${alias.source} before the value that it stands for, above this line`;
      faults.push({ at: startOf(alias), message: `there is no anchor &${alias.source}`, hint });
      return undefined;
    },
  });
  return faults;
}

/** Hash of the texts that a configuration was made from, in their order. */
export function sourceHash(sources: readonly ConfigSource[]): string {
  const hash = createHash('sha256');
  for (const { text } of sources) hash.update(`${Buffer.byteLength(text)}\n`).update(text);
  return hash.digest('hex');
}

function yamlHint(code: string): string | undefined {
  switch (code) {
    case 'DUPLICATE_KEY':
      return 'write each key once';
    case 'MULTIPLE_DOCS':
      return 'put the second document into a file of its own in the same folder';
    case 'TAG_RESOLVE_FAILED':
      return `tags such as !env are not supported; write \${NAME} for a variable of the environment`;
    case 'UNEXPECTED_TOKEN':
      return 'put quotes around a text that holds any of { } [ ] , : # and check that all brackets are closed';
    case 'TAB_AS_INDENT':
      return 'indent with blanks';
    default:
      return undefined;
  }
}

function locate(
  document: Document,
  lines: LineCounter,
  source: ConfigSource,
  path: ConfigPath,
  inside: { readonly line: number; readonly column: number } | undefined,
): ConfigPlace {
  let value: unknown = document.contents;
  let anchor: unknown = document.contents;
  for (const part of path) {
    const container: unknown = isAlias(value) ? value.resolve(document) : value;
    const next = step(document, container, part);
    if (next === undefined) break;
    anchor = next.anchor;
    value = next.value;
  }
  const scalar: unknown = isAlias(value) ? value.resolve(document) : value;
  const place = inside !== undefined && isScalar(scalar) ? insideScalar(scalar, lines, source, inside) : undefined;
  const { line, col } = place ?? lines.linePos(startOf(anchor));
  return { file: source.file, line, column: col };
}

interface Step {
  readonly anchor: unknown;
  readonly value: unknown;
}

function step(document: Document, container: unknown, part: string | number): Step | undefined {
  if (isSeq(container)) {
    const item: unknown = typeof part === 'number' ? container.items[part] : undefined;
    return item === undefined ? undefined : { anchor: item, value: item };
  }
  if (!isMap(container)) return undefined;
  for (const pair of container.items) {
    if (isScalar(pair.key) && String(pair.key.value) === String(part)) return { anchor: pair.key, value: pair.value };
  }
  for (const pair of container.items) {
    // The library keeps the key of a merge as a symbol.
    if (!isScalar(pair.key) || typeof pair.key.value !== 'symbol') continue;
    const merged: unknown = isAlias(pair.value) ? pair.value.resolve(document) : pair.value;
    const sources: readonly unknown[] = isSeq(merged) ? merged.items : [merged];
    for (const item of sources) {
      const found = step(document, isAlias(item) ? item.resolve(document) : item, part);
      if (found !== undefined) return found;
    }
  }
  return undefined;
}

function startOf(node: unknown): number {
  return isNode(node) ? ((node satisfies Node).range?.[0] ?? 0) : 0;
}

/**
 * A position in the text of a scalar as a position in the file. Exact for literal blocks (`|`) and for texts on one line
 * without escapes; a folded text has no such position, so its start stands for it.
 */
function insideScalar(
  scalar: Scalar,
  lines: LineCounter,
  source: ConfigSource,
  inside: { readonly line: number; readonly column: number },
): { line: number; col: number } | undefined {
  const range = scalar.range;
  if (range === null || range === undefined) return undefined;
  const start = lines.linePos(range[0]);
  if (scalar.type === Scalar.BLOCK_LITERAL) {
    const line = start.line + inside.line;
    const indent = blockIndent(source.text, lines, start.line, range[1]);
    return { line, col: indent + inside.column };
  }
  if (scalar.type === Scalar.BLOCK_FOLDED || inside.line > 1) return undefined;
  const quote = scalar.type === Scalar.QUOTE_DOUBLE || scalar.type === Scalar.QUOTE_SINGLE ? 1 : 0;
  return { line: start.line, col: start.col + quote + inside.column - 1 };
}

/** Blanks before the text of a block: those of its first line that is not empty. */
function blockIndent(text: string, lines: LineCounter, headerLine: number, end: number): number {
  for (let line = headerLine + 1; ; line += 1) {
    const start = lines.lineStarts[line - 1];
    if (start === undefined || start >= end) return 0;
    const content = text.slice(start, lines.lineStarts[line] ?? end);
    if (content.trim() !== '') return content.length - content.trimStart().length;
  }
}
