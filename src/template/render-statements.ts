import type { Dialect, QuoteRefusal, Region } from '../../connectors/dialect/dialect.ts';
import { holdsIdentifier } from '../../connectors/dialect/dialect-from-table.ts';
import { refuseName, refuseText } from '../../connectors/dialect/refusal.ts';
import { err, ok, type Result } from '../domain/result.ts';
import type { Placeholder } from './scan-placeholders.ts';
import type { TemplateError, TemplateValues } from './template.ts';
import type { BarePart, RegionPart, TemplatePart } from './template-part.ts';

/** Writes the values into the parts of each statement; the first value that cannot be written is the error. */
export function renderStatements(
  statements: readonly (readonly TemplatePart[])[],
  values: TemplateValues,
  dialect: Dialect,
): Result<readonly string[], TemplateError> {
  const rendered: string[] = [];
  for (const parts of statements) {
    let statement = '';
    for (const part of parts) {
      const text = renderPart(part, values, dialect);
      if (!text.ok) return text;
      statement += text.value;
    }
    rendered.push(statement);
  }
  return ok(rendered);
}

function renderPart(part: TemplatePart, values: TemplateValues, dialect: Dialect): Result<string, TemplateError> {
  if (typeof part === 'string') return ok(part);
  return part.kind === 'bare' ? renderBare(part, values, dialect) : renderRegion(part, values, dialect);
}

function renderBare(part: BarePart, values: TemplateValues, dialect: Dialect): Result<string, TemplateError> {
  const { variable } = part.placeholder;
  if (variable.kind === 'list') {
    const list = values.tags === undefined ? undefined : dialect.tagList?.(values.tags);
    return list === undefined ? err(missing(part.placeholder)) : orRefusal(list, part.placeholder);
  }
  const value = textOf(part.placeholder, values);
  if (!value.ok) return value;
  if (variable.kind === 'identifier') return orRefusal(dialect.quoteIdentifier(value.value), part.placeholder);
  if (value.value === '' && part.cleared === 'null') return ok('NULL');
  return orRefusal(dialect.quoteLiteral(value.value), part.placeholder);
}

function renderRegion(part: RegionPart, values: TemplateValues, dialect: Dialect): Result<string, TemplateError> {
  const { region } = part;
  let raw = '';
  let escaped = '';
  let first: Placeholder | undefined;
  for (const piece of part.content) {
    if (typeof piece === 'string') {
      raw += fixedText(region, piece);
      escaped += piece;
      continue;
    }
    first ??= piece;
    const value = textOf(piece, values);
    if (!value.ok) return value;
    const refusal = refuseText(value.value);
    if (refusal !== undefined) return err(refused(piece, refusal));
    raw += value.value;
    if (!region.backslash) continue;
    const inside = dialect.escapeInside(region.place, value.value);
    if (!inside.ok) return err(refused(piece, inside.error));
    escaped += inside.value;
  }
  if (holdsIdentifier(dialect, region.place)) {
    const refusal = refuseName(raw, dialect.identifier);
    if (refusal !== undefined) return err(refused(first, refusal));
  }
  // Fixed text with backslash sequences stays as its author wrote it; any other region is quoted anew as a whole.
  if (region.backslash) return ok(`${region.open}${escaped}${region.close}`);
  const whole = quoteWhole(region, raw, dialect);
  if (!whole.ok) return err(refused(first, whole.error));
  return ok(part.glued && !whole.value.startsWith(region.open) ? ` ${whole.value}` : whole.value);
}

/** A region that holds exactly this text. A dollar-quoted one becomes a literal, since any tag could stand in the text. */
function quoteWhole(region: Region, text: string, dialect: Dialect): Result<string, QuoteRefusal> {
  if (region.place === 'dollar-quoted') return dialect.quoteLiteral(text);
  if (region.backslashUnknown !== undefined && text.includes('\\')) return dialect.quoteLiteral(text);
  const escapes = region.backslashOpen !== undefined && text.includes('\\');
  const inside = dialect.escapeInside(escapes ? 'escape-string' : region.place, text);
  if (!inside.ok) return inside;
  return ok(`${escapes ? region.backslashOpen : region.open}${inside.value}${region.close}`);
}

/** The text that a fixed piece of a region stands for, as far as lengths and quoting anew need it. */
function fixedText(region: Region, piece: string): string {
  if (region.place === 'dollar-quoted') return piece;
  const single = region.doubling ? piece.replaceAll(region.close + region.close, region.close) : piece;
  return region.backslash ? single.replace(/\\(.)/gs, '$1') : single;
}

/** The value of a variable that is a single text; an absent one is empty where that means cleared. */
function textOf(placeholder: Placeholder, values: TemplateValues): Result<string, TemplateError> {
  const { variable } = placeholder;
  const value = values[variable.value];
  if (typeof value === 'string') return ok(value);
  return variable.clearable === true && value === undefined ? ok('') : err(missing(placeholder));
}

function missing(placeholder: Placeholder): TemplateError {
  return { ...placeholder.position, message: `the change has no value for {${placeholder.variable.name}}` };
}

function refused(placeholder: Placeholder | undefined, refusal: QuoteRefusal): TemplateError {
  const what = placeholder === undefined ? 'the text' : `{${placeholder.variable.name}}`;
  return {
    ...(placeholder?.position ?? { line: 1, column: 1 }),
    message: `${what} cannot be written: ${refusal.message}`,
  };
}

function orRefusal(quoted: Result<string, QuoteRefusal>, placeholder: Placeholder): Result<string, TemplateError> {
  return quoted.ok ? quoted : err(refused(placeholder, quoted.error));
}
