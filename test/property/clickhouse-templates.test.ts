import assert from 'node:assert/strict';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { clickhouseDialect } from '../../connectors/dialect/clickhouse-dialect.ts';
import type { Dialect } from '../../connectors/dialect/dialect.ts';
import { compileTemplate } from '../../src/template/compile.ts';
import type { TemplateValues } from '../../src/template/template.ts';
import { CLICKHOUSE_MUTANTS } from '../support/clickhouse-mutants.ts';
import { type ClickhouseServer, startClickhouse } from '../support/clickhouse-server.ts';
import { hostileName, hostileText } from '../support/hostile-text.ts';
import { HARMLESS } from '../support/quoting-checks.ts';
import { type NoiseTable, randomTemplate } from '../support/template-noise.ts';

const CLICKHOUSE_NOISE: NoiseTable = {
  frames: [
    '@',
    "'@'",
    '"@"',
    '`@`',
    '$$@$$',
    '$t$@$t$',
    '$1$@$1$',
    '$ @ $',
    '‘ @ ’',
    '“ @ ”',
    "X'@'",
    "b'@'",
    'x@',
    '/* @ */ 1',
    '/* /* */ @ */ 1',
    '1 -- @\n',
    '1 # @\n',
    '1 #! @\n',
    "concat('a', '@')",
    '`x`.@',
    '1 − @',
    '($$a$$, @)',
  ],
  noise: [
    "'",
    "''",
    '"',
    '""',
    '`',
    '``',
    '\\',
    '\\\\',
    "\\'",
    '\\n',
    '\\x',
    '$$',
    '$t$',
    '$',
    '--',
    '#',
    '# ',
    '/*',
    '*/',
    '‘',
    '’',
    '”',
    '{{',
    '}}',
    ' ',
    'a',
    '\n',
    ';',
    ',',
  ],
  between: [
    ', ',
    ' ',
    '\n',
    ' /* c */, ',
    ', -- c\n',
    '; SELECT ',
    ", # '\n",
    ' , `c``` , ',
    " , 'b\\'' , ",
    ", -- a\r '",
    ' /* /* */ , */ , ',
    ' , ‘b’ , ',
    ', $1$ , $1$ , ',
    ", $a$ ' $a$ , ",
  ],
  placeholders: [
    '{description}',
    '{service}',
    '{table}',
    '{schema}',
    '{description}{service}',
    '{description} {service}',
  ],
};

/** One template, rendered with harmless and with hostile values, statement by statement. */
interface Pair {
  readonly template: string;
  readonly harmless: string;
  readonly hostile: string;
  readonly values: TemplateValues;
}

let server: ClickhouseServer;
beforeAll(async () => {
  server = await startClickhouse();
});
afterAll(() => server?.stop());

/** What the engine's own parser makes of statements; null: it does not take one. */
async function parsed(statements: readonly string[]): Promise<readonly (string | null)[]> {
  const answers: (string | null)[] = [];
  for (let at = 0; at < statements.length; at += 400) {
    const list = statements.slice(at, at + 400).map((sql) => `unhex('${Buffer.from(sql).toString('hex')}')`);
    const query = `SELECT arrayJoin(arrayMap(x -> formatQuerySingleLineOrNull(x), [${list.join(', ')}])) SETTINGS max_query_size = 10000000`;
    const result = await server.admin.query({ query, format: 'JSONCompactEachRow' });
    for (const [answer = null] of await result.json<[string | null]>()) answers.push(answer);
  }
  return answers;
}

const TOKEN = /'((?:[^'\\]|\\.)*)'|`((?:[^`\\]|\\.)*)`|([A-Za-z_][A-Za-z0-9_]*)|./gs;

interface Reading {
  readonly shape: string;
  readonly texts: readonly string[];
}

/**
 * The canonical form as the engine's formatter writes it: what kind of token stands where, and the names and texts in order. The
 * formatter quotes a name only where it must, so names and words are of one kind.
 */
function reading(canonical: string): Reading {
  const texts: string[] = [];
  let shape = '';
  for (const [whole, literal, name, word] of canonical.matchAll(TOKEN)) {
    const text = literal ?? name ?? word;
    if (text !== undefined) texts.push(word ?? unescaped(text));
    shape += literal !== undefined ? "'" : text !== undefined ? '`' : whole;
  }
  return { shape, texts };
}

const ESCAPES: Readonly<Record<string, string>> = {
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  '0': '\0',
  a: '\x07',
  v: '\v',
  e: '\x1b',
};

function unescaped(text: string): string {
  return text.replaceAll(/\\(?:x([0-9a-fA-F]{2})|(.))/gs, (_, hex: string | undefined, one: string) =>
    hex === undefined ? (ESCAPES[one] ?? one) : String.fromCharCode(Number.parseInt(hex, 16)),
  );
}

function substitute(text: string, values: TemplateValues): string {
  return text.replace(/q(?:sc|ta|de|se)q/g, (mark) => {
    if (mark === HARMLESS.schema) return values.schema ?? '';
    if (mark === HARMLESS.table) return values.table ?? '';
    return (mark === HARMLESS.description ? values.description : values.service) ?? '';
  });
}

const short = hostileName({ max: 12, unit: 'bytes' });
const cases = fc.tuple(
  randomTemplate(CLICKHOUSE_NOISE),
  fc.record({ database: short, schema: short, table: short, description: hostileText(), service: hostileText() }),
);

const SAMPLES = fc.sample(cases, { numRuns: 9_000, seed: 20_261_130 });

/** Renders what the dialect accepts of the first samples. */
function pairsOf(dialect: Dialect, count: number): { readonly pairs: readonly Pair[]; readonly refused: number } {
  const pairs: Pair[] = [];
  let refused = 0;
  for (const [template, values] of SAMPLES.slice(0, count)) {
    const compiled = compileTemplate(template, dialect);
    const [harmless, hostile] = compiled.ok ? [compiled.value.render(HARMLESS), compiled.value.render(values)] : [];
    if (harmless?.ok !== true || hostile?.ok !== true) {
      refused += 1;
      continue;
    }
    assert.equal(hostile.value.length, harmless.value.length);
    for (const [index, sql] of harmless.value.entries())
      pairs.push({ template, harmless: sql, hostile: hostile.value[index] ?? '', values });
  }
  return { pairs, refused };
}

/** Pairs that are SQL with harmless values and mean something else with the others. */
async function problemsOf(
  pairs: readonly Pair[],
): Promise<{ readonly problems: readonly string[]; readonly checked: number }> {
  const problems: string[] = [];
  let checked = 0;
  const [before, after] = [
    await parsed(pairs.map(({ harmless }) => harmless)),
    await parsed(pairs.map(({ hostile }) => hostile)),
  ];
  for (const [index, { template, hostile, values }] of pairs.entries()) {
    const [one, other] = [before[index], after[index]];
    if (one === undefined || one === null) continue;
    checked += 1;
    const expected = reading(one);
    const found = other === undefined || other === null ? undefined : reading(other);
    const texts = expected.texts.map((text) => substitute(text, values));
    if (found?.shape !== expected.shape || JSON.stringify(found.texts) !== JSON.stringify(texts)) {
      problems.push(`${JSON.stringify(template)} became ${JSON.stringify(hostile)}`);
    }
  }
  return { problems, checked };
}

describe('P5 for templates on ClickHouse', () => {
  it("no value changes what a random template does, by the engine's own parser", async () => {
    const { pairs, refused } = pairsOf(clickhouseDialect, SAMPLES.length);
    const { problems, checked } = await problemsOf(pairs);
    console.log({ refused, accepted: pairs.length, checked });
    expect(problems.slice(0, 5)).toEqual([]);
    expect(checked).toBeGreaterThan(800);
  }, 60_000);

  it.each(["'\\x{{{description}}}'", "'\\x;{description}'", '`\\x{table}`'])(
    'has no place for a value that a sequence of the template would take in: %s',
    (fragment) => {
      const compiled = compileTemplate(`SELECT ${fragment}`, clickhouseDialect);
      expect(compiled).toMatchObject({ ok: false, error: [{ message: expect.stringContaining('backslash') }] });
    },
  );

  it.each(CLICKHOUSE_MUTANTS)(
    'notices that $name',
    async ({ dialect }) => {
      expect((await problemsOf(pairsOf(dialect, 3_000).pairs)).problems).not.toEqual([]);
    },
    60_000,
  );
});
