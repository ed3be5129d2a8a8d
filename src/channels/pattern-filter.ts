import type { ConfigPath, ConfigProblem } from '../config/problem.ts';
import { formatFqn, parseFqn } from '../domain/fqn.ts';
import { err, ok, type Result } from '../domain/result.ts';
import type { Snapshot } from '../domain/snapshot.ts';
import type { FilterTrace } from './channel.ts';
import type { ServiceIdentity } from './could-match.ts';
import type { CompiledFilter } from './json-logic-filter.ts';

/** One part of a pattern: a text with `*` in it, or `**` for any number of parts. */
type PatternPart = '**' | readonly string[];

interface Pattern {
  readonly source: string;
  readonly parts: readonly PatternPart[];
}

const MAX_PATTERN = 1000;

/**
 * Patterns on the FQN of the entity (service.database.schema.table), compared part by part and letter by letter:
 * `*` stands for any characters inside a part, `**` for any number of parts (none too); parts that hold dots are quoted
 * (`svc."a.b".**`). An entity fits when some `include` pattern fits (or there is none) and no `exclude` pattern does.
 * Undefined when there are no patterns at all.
 */
export function compilePatterns(
  include: readonly string[],
  exclude: readonly string[],
  place: ConfigPath,
): Result<CompiledFilter | undefined, readonly ConfigProblem[]> {
  const problems: ConfigProblem[] = [];
  const compileAll = (sources: readonly string[], key: string): Pattern[] =>
    sources.flatMap((source, index) => {
      const pattern = parsePattern(source);
      if (pattern.ok) return [pattern.value];
      const hint = 'write parts joined by dots, such as pg_sales.shop.*.orders or pg_sales.**';
      problems.push({ path: [...place, key, index], message: pattern.error, hint });
      return [];
    });
  const included = compileAll(include, 'include');
  const excluded = compileAll(exclude, 'exclude');
  if (problems.length > 0) return err(problems);
  return ok(included.length + excluded.length === 0 ? undefined : patternFilter(included, excluded));
}

function patternFilter(include: readonly Pattern[], exclude: readonly Pattern[]): CompiledFilter {
  const trace = (parts: readonly string[]): FilterTrace => {
    const out = exclude.find((pattern) => fits(pattern.parts, parts));
    if (out !== undefined) return { clause: `excluded by ${out.source}`, result: false, children: [] };
    if (include.length === 0) return { clause: 'not excluded by any pattern', result: true, children: [] };
    const hit = include.find((pattern) => fits(pattern.parts, parts));
    if (hit !== undefined) return { clause: `included by ${hit.source}`, result: true, children: [] };
    return {
      clause: `included by none of ${include.map(({ source }) => source).join(', ')}`,
      result: false,
      children: [],
    };
  };
  const texts = [
    ...(include.length > 0 ? [`include ${include.map(({ source }) => source).join(', ')}`] : []),
    ...(exclude.length > 0 ? [`exclude ${exclude.map(({ source }) => source).join(', ')}`] : []),
  ];
  return {
    needsTags: false,
    text: texts.join(' and '),
    matches: (state: Snapshot) => trace(partsOf(state)).result,
    explain: (state: Snapshot) => trace(partsOf(state)),
    couldMatch: ({ name }: ServiceIdentity) =>
      (include.length === 0 || include.some(({ parts }) => canStartWith(parts, name))) &&
      !exclude.some(({ parts }) => parts.length === 2 && parts[1] === '**' && fits(parts, [name])),
  };
}

/** Both filters have to hold; the first that does not decides. Undefined ones hold always. */
export function combineFilters(first: CompiledFilter | undefined, second: CompiledFilter | undefined): CompiledFilter {
  if (first === undefined || second === undefined) return first ?? second ?? EVERYTHING;
  return {
    needsTags: first.needsTags || second.needsTags,
    text: `${first.text} and ${second.text}`,
    matches: (state) => first.matches(state) && second.matches(state),
    explain: (state) => {
      const traces = [first.explain(state), second.explain(state)];
      const failed = traces.find(({ result }) => !result);
      return {
        clause: `${first.text} and ${second.text}`,
        result: failed === undefined,
        children: failed === undefined ? traces : [failed],
      };
    },
    couldMatch: (service) => first.couldMatch(service) && second.couldMatch(service),
  };
}

const EVERYTHING: CompiledFilter = {
  needsTags: false,
  constant: true,
  text: 'everything',
  matches: () => true,
  explain: () => ({ clause: 'the channel has no filter', result: true, children: [] }),
  couldMatch: () => true,
};

function parsePattern(source: string): Result<Pattern, string> {
  if (source.length > MAX_PATTERN) return err(`the pattern is longer than ${MAX_PATTERN} characters`);
  const parts = parseFqn(source);
  if (!parts.ok || parts.value.length === 0) return err(`${JSON.stringify(source)} is no pattern for an FQN`);
  if (parts.value.includes('')) return err(`${JSON.stringify(source)} holds an empty part`);
  return ok({ source, parts: parts.value.map((part) => (part === '**' ? '**' : part.split(/\*+/))) });
}

function partsOf(state: Snapshot): readonly string[] {
  const parts = parseFqn(state.fqn);
  return parts.ok ? parts.value : [formatFqn([state.fqn])];
}

/** Matching with `**` keeps one position to return to, so the work is bounded by the product of the lengths. */
function fits(pattern: readonly PatternPart[], parts: readonly string[]): boolean {
  let at = 0;
  let index = 0;
  let returnTo = -1;
  let consumed = 0;
  while (index < parts.length) {
    const wanted = pattern[at];
    if (wanted === '**') {
      returnTo = at;
      consumed = index;
      at += 1;
    } else if (wanted !== undefined && fitsPart(wanted, parts[index] ?? '')) {
      at += 1;
      index += 1;
    } else if (returnTo >= 0) {
      consumed += 1;
      index = consumed;
      at = returnTo + 1;
    } else {
      return false;
    }
  }
  return pattern.slice(at).every((rest) => rest === '**');
}

/** The pieces between the stars, found in turn from the left; the last one has to end the text. */
function fitsPart(pieces: readonly string[], text: string): boolean {
  const [first = '', ...rest] = pieces;
  if (rest.length === 0) return text === first;
  if (!text.startsWith(first)) return false;
  const last = rest.pop() ?? '';
  let position = first.length;
  for (const piece of rest) {
    const foundAt = text.indexOf(piece, position);
    if (foundAt === -1) return false;
    position = foundAt + piece.length;
  }
  return text.length - last.length >= position && text.endsWith(last);
}

function canStartWith(pattern: readonly PatternPart[], service: string): boolean {
  const [first] = pattern;
  return first === '**' || (first !== undefined && fitsPart(first, service));
}
