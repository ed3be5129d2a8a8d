import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Dialect } from '../../connectors/dialect/dialect.ts';
import { compileTemplate } from '../../src/template/compile.ts';
import type { CompiledTemplate, TemplateValues } from '../../src/template/template.ts';
import { hostileName, hostileText, type TestPlace } from './hostile-text.ts';
import type { QuotingOracle } from './quoting-oracle.ts';
import { randomTemplate } from './template-noise.ts';

/** Values that no engine could misread; each is found again in what was rendered. */
export const HARMLESS = {
  database: 'qdbq',
  schema: 'qscq',
  table: 'qtaq',
  column: 'qcoq',
  description: 'qdeq',
  service: 'qseq',
} as const satisfies TemplateValues;

/** A property about a dialect: holds for the right quoting code, and is broken by each mutant of it. */
export interface QuotingCheck {
  readonly name: string;
  /** About one place, or about random templates. */
  readonly perPlace: boolean;
  readonly property: fc.IProperty<unknown>;
}

/** What the random templates of a run came to. */
export interface TemplateTally {
  refused: number;
  notSql: number;
  checked: number;
}

/** All properties of a dialect against an oracle. */
export function quotingChecks(oracle: QuotingOracle, dialect: Dialect, tally: TemplateTally): readonly QuotingCheck[] {
  const texts = oracle.textPlaces.map((place) => ({
    name: `a text in the place ${place.name} is read back as it was`,
    perPlace: true,
    property: fc.property(hostileText(), (text) => checkText(oracle, dialect, place, text)),
  }));
  const names = oracle.namePlaces.map((place) => ({
    name: `a name in the place ${place.name} is read back as it was`,
    perPlace: true,
    property: fc.property(
      hostileName({ ...dialect.identifier, max: dialect.identifier.max - (place.taken ?? 0) }),
      (name) => checkName(oracle, dialect, place, name),
    ),
  }));
  const short = hostileName({ max: 12, unit: 'bytes' });
  const random = fc.property(
    randomTemplate(oracle.noise),
    fc.record({ database: short, schema: short, table: short, description: hostileText(), service: hostileText() }),
    (template, values) => {
      tally[checkTemplate(oracle, dialect, template, values)] += 1;
    },
  );
  return [
    ...texts,
    ...names,
    { name: 'no value changes what a random template does', perPlace: false, property: random },
  ];
}

function checkText(oracle: QuotingOracle, dialect: Dialect, place: TestPlace, text: string): void {
  const sql = renderOne(compiled(oracle.textTemplate(place.fragment), dialect), { ...HARMLESS, description: text });
  assert.equal(oracle.readText(sql), place.expected(text));
}

function checkName(oracle: QuotingOracle, dialect: Dialect, place: TestPlace, name: string): void {
  const sql = renderOne(compiled(oracle.nameTemplate(place.fragment), dialect), { ...HARMLESS, table: name });
  assert.equal(oracle.readName(sql), place.expected(name));
}

/** A template that is accepted, and is SQL with harmless values, does the same thing with any others, and uses every one of them. */
function checkTemplate(
  oracle: QuotingOracle,
  dialect: Dialect,
  source: string,
  values: TemplateValues,
): keyof TemplateTally {
  const template = compileTemplate(source, dialect);
  if (!template.ok) return 'refused';
  const harmless = template.value.render(HARMLESS);
  if (!harmless.ok) {
    assert.match(harmless.error.message, /the engine allows/);
    return 'refused';
  }
  const readings = harmless.value.map((sql) => oracle.read(sql));
  if (readings.includes(undefined)) return 'notSql';
  const found = readings.flatMap((reading) => reading?.texts ?? []).join('\n');
  for (const variable of template.value.variables) {
    const mark = Object.entries(HARMLESS).find(([name]) => name === variable)?.[1];
    assert.ok(mark !== undefined && found.includes(mark), `the value of {${variable}} is lost`);
  }

  const hostile = template.value.render(values);
  if (!hostile.ok) {
    assert.match(hostile.error.message, /the engine allows/);
    return 'refused';
  }
  assert.equal(hostile.value.length, harmless.value.length);
  for (const [index, sql] of hostile.value.entries()) {
    const reading = oracle.read(sql);
    assert.deepEqual(reading?.shape, readings[index]?.shape, `not the same statement: ${sql}`);
    assert.deepEqual(
      reading?.texts,
      readings[index]?.texts.map((text) => substitute(text, values)),
    );
  }
  return 'checked';
}

function substitute(text: string, values: TemplateValues): string {
  return text.replace(/q(?:sc|ta|de|se)q/g, (mark) => {
    if (mark === HARMLESS.schema) return values.schema ?? '';
    if (mark === HARMLESS.table) return values.table ?? '';
    return (mark === HARMLESS.description ? values.description : values.service) ?? '';
  });
}

export function compiled(source: string, dialect: Dialect): CompiledTemplate {
  const template = compileTemplate(source, dialect);
  assert.ok(template.ok, `refused: ${source}`);
  return template.value;
}

function rendered(template: CompiledTemplate, values: TemplateValues): readonly string[] {
  const statements = template.render(values);
  assert.ok(statements.ok, `not rendered: ${template.source}`);
  return statements.value;
}

function renderOne(template: CompiledTemplate, values: TemplateValues): string {
  const [sql, ...more] = rendered(template, values);
  assert.ok(sql !== undefined && more.length === 0);
  return sql;
}
