import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Dialect } from '../../connectors/dialect/dialect.ts';
import { dialectFromTable } from '../../connectors/dialect/dialect-from-table.ts';
import { lex } from '../../connectors/dialect/lex.ts';
import { oracleDialect, oracleTable } from '../../connectors/dialect/oracle-dialect.ts';
import { oracleConnector } from '../../connectors/oracle/connector.ts';
import type { ObjectRef } from '../../src/domain/operation.ts';
import { ok } from '../../src/domain/result.ts';
import { compileTemplate } from '../../src/template/compile.ts';
import { renderOperation } from '../../src/template/render-operation.ts';
import { ClassCoverage, enoughOf } from '../support/class-coverage.ts';
import { CHARACTER_CLASSES, hostileName, hostileText, refusedText, type TestPlace } from '../support/hostile-text.ts';
import { oracleDumpKey } from '../support/oracle-harness.ts';
import { ORACLE_NAME_PLACES, ORACLE_TEXT_PLACES, oracleOracle } from '../support/oracle-places.ts';
import { OracleZoo, type Wish } from '../support/oracle-zoo.ts';
import { quotingChecks, type TemplateTally } from '../support/quoting-checks.ts';

const SEED = 20_261_130;

/** A double quote is the one character beside NUL that no name of Oracle can hold. */
const possibleNames = hostileName({ max: 100, unit: 'bytes' }).map((name) => name.replaceAll('"', "'"));
const texts = enoughOf(hostileText(), { count: 300, perClass: 105, seed: SEED });
const names = enoughOf(possibleNames, { count: 230, perClass: 105, seed: SEED + 1 });

function rendered(dialect: Dialect, source: string, object: ObjectRef, text: string): readonly string[] {
  const compiled = compileTemplate(source, dialect);
  if (!compiled.ok) throw new Error(`${source} does not compile: ${compiled.error[0]?.message}`);
  const statements = renderOperation(compiled.value, { aspect: 'description', object, text });
  if (!statements.ok) throw new Error(`${source} does not render: ${statements.error.message}`);
  return statements.value;
}

const keyOf = (object: ObjectRef): string => exactKey('description', object);

/** By the names exactly as they are. */
function exactKey(aspect: 'description' | 'tags', { schema, table, column }: ObjectRef): string {
  return JSON.stringify([aspect, schema, table, column?.[0] ?? null]);
}

describe('P5 and P6 on a model of Oracle', () => {
  const texting = new ClassCoverage();
  const naming = new ClassCoverage();
  const tagging = new ClassCoverage();
  let zoo: OracleZoo;

  beforeAll(async () => {
    const decorated = ORACLE_NAME_PLACES.flatMap(({ expected }) => names.map(expected));
    zoo = await OracleZoo.open([...names, ...decorated]);
  });
  afterAll(() => zoo.close());

  it('writes any text to any name through default plans, and nothing else', async () => {
    const wishes = names.flatMap((name, row) => {
      const objects = [zoo.table(name), zoo.column(name, name), zoo.column(name, 'A')];
      return objects.map((object, place): Wish => {
        const text = texts[(row * 7 + place * 31) % texts.length];
        const cleared = (row + place) % 9 === 8;
        if (!cleared && text !== undefined) texting.add('default plan', text);
        if (place < 2) naming.add('default plan', name);
        const value = cleared ? undefined : text;
        return { operation: { aspect: 'description', object, text: value }, key: keyOf(object), expected: value };
      });
    });
    expect(await inBatches(zoo, wishes)).toEqual([]);
  });

  it('writes any tag as an annotation, and nothing else', async () => {
    const wishes = names.flatMap((name, row): Wish[] => {
      const value = texts[(row * 13) % texts.length]?.replaceAll('\n', ' ') ?? 'x';
      const object = row % 2 === 0 ? zoo.table(name) : zoo.column(name, 'B');
      const tags = [{ key: name, value }];
      tagging.add('value', value);
      naming.add('annotation', name);
      const operation = { aspect: 'tags', object, desired: tags, added: tags, unset: [] } as const;
      return [{ operation, key: exactKey('tags', object), expected: `${name}=${value}` }];
    });
    expect(await inBatches(zoo, wishes)).toEqual([]);
  });

  it.each(ORACLE_TEXT_PLACES)('writes any text through a template: $name', async (place) => {
    const wishes = texts.map((text, index): Wish => {
      const object = zoo.table(names[index % names.length] ?? '');
      texting.add(`template ${place.name}`, text);
      return wishOf(object, place, text, rendered(oracleDialect, textTemplate(place), object, text));
    });
    // The second text for a table would otherwise be compared with the first.
    expect(await inBatches(zoo, wishes, names.length)).toEqual([]);
  });

  it.each(ORACLE_NAME_PLACES)('finds any name through a template: $name', async (place) => {
    const wishes = names.map((name, index): Wish => {
      naming.add(`template ${place.name}`, name);
      const object = zoo.table(place.expected(name));
      const source = `COMMENT ON TABLE "ZOO".${place.fragment} IS '{description}'`;
      const template = rendered(oracleDialect, source, zoo.table(name), `mark ${index}`);
      const operation = { aspect: 'description', object, text: `mark ${index}` } as const;
      return { operation, template, key: keyOf(object), expected: `mark ${index}` };
    });
    expect(await inBatches(zoo, wishes)).toEqual([]);
  });

  it('has written at least 100 values of each class in each place', () => {
    const total = texting.total + naming.total + tagging.total;
    console.log(
      `oracle: ${total} values\n\ntexts\n${texting.table()}\n\nnames (without double quotes)\n${naming.table()}\n\nannotations (a line break separates values)\n${tagging.table()}`,
    );
    expect(texting.least()).toBeGreaterThanOrEqual(100);
    expect(naming.least()).toBeGreaterThanOrEqual(100);
    expect(tagging.least(CHARACTER_CLASSES.filter((one) => one !== 'newline'))).toBeGreaterThanOrEqual(100);
    expect(total).toBeGreaterThan(4_000);
  });

  it('refuses only NUL, lone surrogates, length, and a double quote in a name', () => {
    const reasons = new Map<string, number>();
    const refusal = (object: ObjectRef, text: string): string => {
      const source = { exists: true, kind: 'table', detail: { charset: 'AL32UTF8', annotations: true, names: [] } };
      const planned = oracleConnector.plan({ aspect: 'description', object, text }, source, { overlong: 'refuse' });
      const reason = planned.ok ? 'planned' : planned.error.failure.code;
      reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
      return reason;
    };
    for (const text of texts) expect(refusal(zoo.table('ANY'), text)).toBe('planned');
    for (const name of names) expect(refusal(zoo.column(name, name), 'x')).toBe('planned');
    for (const { text, code } of fc.sample(refusedText(), { numRuns: 200, seed: SEED })) {
      expect(refusal(zoo.table('ANY'), text)).toBe(code);
      expect(refusal(zoo.table(code === 'nul' ? 'a\0b' : 'a\udc00b'), 'x')).toBe(`name-${code}`);
    }
    for (const text of texts.slice(0, 100)) {
      expect(refusal(zoo.table('ANY'), text.repeat(4001))).toBe('description-too-long');
      expect(refusal(zoo.table(text.replaceAll('"', '').padEnd(129, 'é')), 'x')).toBe('name-too-long');
      expect(refusal(zoo.table(`a"${text}`.slice(0, 20).toWellFormed()), 'x')).toBe('name-not-representable');
    }
    console.log('refusals', Object.fromEntries(reasons));
  });
});

function textTemplate(place: TestPlace): string {
  return `COMMENT ON TABLE {schema}."{table}" IS ${place.fragment}`;
}

function wishOf(object: ObjectRef, place: TestPlace, text: string, template: readonly string[]): Wish {
  const expected = place.expected(text);
  // The outcome is only verified where the native value is the wanted text itself.
  return { operation: { aspect: 'description', object, text: expected }, template, key: keyOf(object), expected };
}

async function inBatches(zoo: OracleZoo, wishes: readonly Wish[], size = 60): Promise<readonly string[]> {
  const problems: string[] = [];
  for (let at = 0; at < wishes.length; at += size) problems.push(...(await zoo.fulfil(wishes.slice(at, at + size))));
  return problems.slice(0, 5);
}

/** The quoting code with one rule broken. */
const MUTANTS: readonly { readonly name: string; readonly dialect: Dialect }[] = [
  { name: 'a quote is not doubled', dialect: spoiled((text) => text.replaceAll("''", "'")) },
  { name: 'a backslash is escaped', dialect: spoiled((text) => text.replaceAll('\\', '\\\\')) },
  {
    name: 'a double quote is doubled instead of refused',
    dialect: dialectFromTable({
      ...oracleTable,
      regions: oracleTable.regions.map((one) => (one.place === 'double-quoted' ? { ...one, doubling: true } : one)),
    }),
  },
  {
    name: "q'…' is not known",
    dialect: {
      ...oracleDialect,
      regions: oracleDialect.regions.filter(({ open }) => !open.endsWith("Q'")),
    },
  },
  {
    name: 'line comments are not known',
    dialect: { ...oracleDialect, regions: oracleDialect.regions.filter(({ open }) => open !== '--') },
  },
  {
    name: 'a name that the engine would refuse is accepted',
    dialect: { ...oracleDialect, identifier: { max: 160, unit: 'bytes' }, quoteIdentifier: (name) => ok(`"${name}"`) },
  },
];

function spoiled(change: (quoted: string) => string): Dialect {
  return {
    ...oracleDialect,
    quoteLiteral(text) {
      const quoted = oracleDialect.quoteLiteral(text);
      return quoted.ok ? ok(change(quoted.value)) : quoted;
    },
    escapeInside(place, text) {
      const escaped = oracleDialect.escapeInside(place, text);
      return escaped.ok ? ok(change(escaped.value)) : escaped;
    },
  };
}

/** Without the rule for lower-case names, which changes what the random templates are recognised by; it is looked at apart. */
function literal(dialect: Dialect): Dialect {
  return {
    ...dialect,
    quoteIdentifier: (name) => (/^[a-z]+$/.test(name) ? ok(`"${name}"`) : dialect.quoteIdentifier(name)),
  };
}

/** All properties that do not hold for a dialect. */
function broken(dialect: Dialect): readonly string[] {
  const tally: TemplateTally = { refused: 0, notSql: 0, checked: 0 };
  const texts = quotingChecks(oracleOracle, literal(dialect), tally).filter(({ name }) => !name.startsWith('a name'));
  const found = texts.flatMap(({ name, property, perPlace }) => {
    const run = fc.check(property, { numRuns: perPlace ? 300 : 6_000, seed: SEED });
    return run.failed ? [`${name}: ${String(run.errorInstance)}`] : [];
  });
  if (found.length === 0) expect(tally.checked).toBeGreaterThan(500);
  const quoting = fc.check(
    fc.property(hostileName({ max: 200, unit: 'bytes' }), (name) => {
      const quoted = dialect.quoteIdentifier(name);
      const possible = !name.includes('"') && Buffer.byteLength(name, 'utf8') <= 128;
      if (quoted.ok !== possible) throw new Error(`${JSON.stringify(name)} is ${quoted.ok ? 'accepted' : 'refused'}`);
      const expected = /^[a-z][a-z0-9_$#]*$/.test(name) ? name.toUpperCase() : name;
      if (quoted.ok && oracleOracle.readName(oracleOracle.nameTemplate(quoted.value)) !== expected) {
        throw new Error(`${quoted.value} is another name`);
      }
    }),
    { numRuns: 3_000, seed: SEED },
  );
  return quoting.failed ? [...found, String(quoting.errorInstance)] : found;
}

describe('quoting for Oracle', () => {
  it('is right by a reader that shares no code with it', () => {
    expect(broken(oracleDialect)).toEqual([]);
  });

  it.each(MUTANTS)('is seen to be wrong: $name', ({ dialect }) => {
    expect(broken(dialect)).not.toEqual([]);
  });

  it('makes what its own lexer reads as one token', () => {
    fc.assert(
      fc.property(hostileText(), possibleNames, (text, name) => {
        for (const quoted of [oracleDialect.quoteLiteral(text), oracleDialect.quoteIdentifier(name)]) {
          if (!quoted.ok) throw new Error(quoted.error.message);
          expect(lex(quoted.value, oracleDialect)).toMatchObject({
            ok: true,
            value: [{ kind: 'region', start: 0, end: quoted.value.length }],
          });
        }
      }),
      { numRuns: 2000 },
    );
  });

  it('knows where a placeholder has no safe form', () => {
    for (const source of [
      "COMMENT ON TABLE a.b IS q'[{description}]'",
      "COMMENT ON TABLE a.b IS nq'!x!' || {description}",
      "COMMENT ON TABLE a.b IS 'x' /* {description} */",
      "COMMENT ON TABLE a.b IS 'x' -- {description}",
      "BEGIN EXECUTE IMMEDIATE '{description}'; END;",
    ]) {
      expect([source, compileTemplate(source, oracleDialect).ok]).toEqual([source, false]);
    }
  });

  it('names dump keys as the sample harness does for plain names', () => {
    expect(oracleDumpKey({ ...refOf('ZOO', 'LION') }, 'description')).toBe(keyOf(refOf('ZOO', 'LION')));
  });
});

function refOf(schema: string, table: string): ObjectRef {
  return { level: 'table', entityType: 'table', fqn: 'x', service: 'x', database: 'default', schema, table };
}
