import type { Dialect } from '../../connectors/dialect/dialect.ts';
import { isComment } from '../../connectors/dialect/dialect-from-table.ts';
import { isSignificant, lex, type RegionToken, splitStatements, type Token } from '../../connectors/dialect/lex.ts';
import { LEVELS, type Level } from '../domain/entity.ts';
import { err, ok, type Result } from '../domain/result.ts';
import { adjacentLiteral, checkBare, checkInside, holdsText, type PlaceProblem, prefixBefore } from './check-place.ts';
import { renderStatements } from './render-statements.ts';
import { HOLE, type Placeholder, type Skeleton, scanPlaceholders } from './scan-placeholders.ts';
import type { CompiledTemplate, TemplateError } from './template.ts';
import type { TemplatePart } from './template-part.ts';

/**
 * Parses a template once for a dialect: finds the place of each placeholder and refuses those without a safe form.
 * Errors carry line and column; a text that is lexically broken reports only that.
 */
export function compileTemplate(source: string, dialect: Dialect): Result<CompiledTemplate, readonly TemplateError[]> {
  const scanned = scanPlaceholders(source);
  if (!scanned.ok) return scanned;
  const skeleton = scanned.value;
  const lexed = lex(skeleton.text, dialect);
  if (!lexed.ok) return err([{ ...skeleton.positionOf(lexed.error.offset), message: lexed.error.message }]);

  const errors: TemplateError[] = [];
  const report = (offset: number, problem: PlaceProblem): void => {
    errors.push({ ...skeleton.positionOf(offset), ...problem });
  };
  checkComments(lexed.value, skeleton, report);
  const statements = splitStatements(skeleton.text, lexed.value);
  if (statements.length === 0) report(0, { message: 'the template holds no statement' });
  const parts = statements.map((statement) => statementParts(statement, skeleton, dialect, report));
  checkAspects([...skeleton.placeholders.values()], errors);
  if (errors.length > 0) return err(errors.toSorted((a, b) => a.line - b.line || a.column - b.column));

  const variables = [...skeleton.placeholders.values()].map((placeholder) => placeholder.variable);
  return ok({
    source,
    dialect,
    variables: new Set(variables.map((variable) => variable.name)),
    serves: {
      level: deepest(variables.flatMap((variable) => variable.level ?? [])),
      aspect: variables.find((variable) => variable.aspect !== undefined)?.aspect,
    },
    render: (values) => renderStatements(parts, values, dialect),
  });
}

type Report = (offset: number, problem: PlaceProblem) => void;

function statementParts(
  statement: readonly Token[],
  skeleton: Skeleton,
  dialect: Dialect,
  report: Report,
): readonly TemplatePart[] {
  const { text, placeholders } = skeleton;
  const isText = (token: Token): boolean => {
    if (token.kind === 'region') return holdsText(dialect, token.region.place);
    return placeholders.get(token.start)?.variable.kind === 'literal';
  };
  checkCode(statement, text, dialect, report);
  const second = adjacentLiteral(statement, isText);
  if (second !== undefined) {
    report(second.start, {
      message: 'two literals stand in a row here, and engines differ in how they read that',
      hint: 'write one literal, with all of the text between its quotes',
    });
  }

  const parts: TemplatePart[] = [];
  let fixed = '';
  const add = (part: TemplatePart): void => {
    if (fixed !== '') parts.push(fixed);
    fixed = '';
    parts.push(part);
  };
  let wordBefore: string | undefined;
  for (const token of trimSpace(statement)) {
    const placeholder = token.kind === 'region' ? undefined : placeholders.get(token.start);
    if (token.kind === 'region' && !isComment(token.region.place) && holdsHole(token, text)) {
      const content = regionContent(token, skeleton, dialect, report);
      add({ kind: 'region', region: token.region, content, glued: /\S/.test(text.charAt(token.start - 1)) });
    } else if (placeholder !== undefined) {
      const prefix = placeholder.variable.kind === 'literal' ? prefixBefore(text, token.start, dialect) : undefined;
      const problem = checkBare(placeholder.variable, text, token.start, prefix !== undefined, dialect);
      if (problem !== undefined) report(token.start, problem);
      if (prefix === undefined) {
        const isNull = wordBefore !== undefined && dialect.nullAfter?.includes(wordBefore) === true;
        add({ kind: 'bare', placeholder, cleared: isNull ? 'null' : 'empty' });
      } else {
        fixed = fixed.slice(0, fixed.length - prefix.open.length + 1);
        add({ kind: 'region', region: prefix, content: [placeholder], glued: false });
      }
    } else {
      fixed += text.slice(token.start, token.end);
    }
    if (isSignificant(token))
      wordBefore = token.kind === 'word' ? text.slice(token.start, token.end).toLowerCase() : undefined;
  }
  if (fixed !== '') parts.push(fixed);
  return parts;
}

function holdsHole(token: RegionToken, text: string): boolean {
  return text.slice(token.contentStart, token.contentEnd).includes(HOLE);
}

function regionContent(
  token: RegionToken,
  skeleton: Skeleton,
  dialect: Dialect,
  report: Report,
): readonly (string | Placeholder)[] {
  const content: (string | Placeholder)[] = [];
  let fixed = '';
  for (let at = token.contentStart; at < token.contentEnd; at += 1) {
    const placeholder = skeleton.placeholders.get(at);
    if (placeholder === undefined) {
      fixed += skeleton.text[at];
      continue;
    }
    const problem = checkInside(placeholder.variable, token.region, fixed, dialect);
    if (problem !== undefined) report(at, problem);
    if (fixed !== '') content.push(fixed);
    fixed = '';
    content.push(placeholder);
  }
  if (fixed !== '') content.push(fixed);
  return content;
}

/**
 * Comments stay as they are, wherever they stand, so no placeholder may be in one. Those that a server runs, depending on its version,
 * could change the meaning of everything behind them.
 */
function checkComments(tokens: readonly Token[], skeleton: Skeleton, report: Report): void {
  for (const token of tokens) {
    if (token.kind !== 'region' || !isComment(token.region.place)) continue;
    const { open, close, refuse } = token.region;
    if (refuse !== undefined) {
      report(token.start, {
        message: `a template cannot hold ${open}…${close}: ${refuse}`,
        hint: 'write the statement without it',
      });
    }
    for (const [at, { variable }] of skeleton.placeholders) {
      if (at < token.contentStart || at >= token.contentEnd) continue;
      report(at, {
        message: `{${variable.name}} stands in a comment, where no value is safe`,
        hint: 'take it out of the comment',
      });
    }
  }
}

/** Texts of such statements are run as code: quoting them right would not make a value in them safe. */
function checkCode(statement: readonly Token[], text: string, dialect: Dialect, report: Report): void {
  const first = statement.find(isSignificant);
  if (first === undefined) return;
  const word = text.slice(first.start, first.end).toLowerCase();
  if (dialect.codeStatements?.includes(word) !== true) return;
  report(first.start, {
    message: `a template cannot hold a statement ${word.toUpperCase()}: texts in it are run as code, where no value is safe`,
    hint: 'create a procedure in the database and call it from the template',
  });
}

function checkAspects(placeholders: readonly Placeholder[], errors: TemplateError[]): void {
  const first = placeholders.find((placeholder) => placeholder.variable.aspect !== undefined);
  const other = placeholders.find(
    ({ variable }) => variable.aspect !== undefined && variable.aspect !== first?.variable.aspect,
  );
  if (first === undefined || other === undefined) return;
  errors.push({
    ...other.position,
    message: `{${other.variable.name}} and {${first.variable.name}} never come in the same change`,
    hint: 'write one template for each of description, tags and owners',
  });
}

function deepest(levels: readonly Level[]): Level {
  return LEVELS.findLast((level) => levels.includes(level)) ?? 'database';
}

function trimSpace(statement: readonly Token[]): readonly Token[] {
  const start = statement.findIndex((token) => token.kind !== 'space');
  const end = statement.findLastIndex((token) => token.kind !== 'space');
  return statement.slice(start, end + 1);
}
