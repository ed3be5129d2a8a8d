import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { column, label, owner, sampleTable } from '../../test/support/sample-snapshot.ts';
import { isJsonObject, type Json } from '../domain/json.ts';
import type { Snapshot } from '../domain/snapshot.ts';
import { checkFilter } from './check-filter.ts';
import { OPERATORS } from './filter-operators.ts';
import { compileFilter } from './json-logic-filter.ts';
import { VOCABULARY } from './vocabulary.ts';

const hostileKey = fc.constantFrom(
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'length',
  'a',
  'costCenter',
  '0',
);
const json = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom<Json>(null, true, false, 0, -1, 1e308, '', '0', 'x', '5', 'PII.Sensitive', '\ud800'),
    fc.string(),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(hostileKey, tie('value'), { maxKeys: 4 }),
  ),
})).value;

const names = fc.oneof(fc.string(), fc.constantFrom('orders', 'a.b', 'q"q', '__proto__'));
const tags = fc.array(
  names.map((name) => label(`PII.${name}`)),
  { maxLength: 3 },
);
const snapshot: fc.Arbitrary<Snapshot> = fc
  .record({
    name: names,
    tags: fc.option(tags, { nil: undefined }),
    owners: fc.option(
      fc.array(
        names.map((name) => owner(name)),
        { maxLength: 3 },
      ),
      { nil: undefined },
    ),
    domains: fc.array(names, { maxLength: 2 }),
    extension: fc.dictionary(hostileKey, json, { maxKeys: 4 }),
    extra: fc.dictionary(
      fc.constantFrom('certification', 'reviewers', 'dataProducts', 'entityStatus', 'sourceUrl'),
      json,
    ),
    columns: fc.array(
      tags.map((own) => column('c', { tags: own, children: [column('d', { path: ['c', 'd'] })] })),
      { maxLength: 3 },
    ),
  })
  .map(({ tags: own, owners, ...rest }) => {
    const { tags: _tags, owners: _owners, ...base } = sampleTable(rest);
    return { ...base, ...(own === undefined ? {} : { tags: own }), ...(owners === undefined ? {} : { owners }) };
  });

function paths(prefix: string, shape: typeof VOCABULARY): string[] {
  if (shape.kind === 'list') return [prefix, `${prefix}.0`, ...paths(`${prefix}.0`, shape.of)];
  if (shape.kind !== 'object') return [prefix];
  return Object.entries(shape.members).flatMap(([key, inner]) => [
    key,
    ...paths(prefix === '' ? key : `${prefix}.${key}`, inner),
  ]);
}

const path = fc.constantFrom(
  ...paths('', VOCABULARY),
  'extension.a.b',
  'extension.costCenter',
  'current',
  'accumulator',
  'tagFQN',
  '',
);
const operatorName = fc.constantFrom(...OPERATORS.keys());

/** Mostly filters that are close to valid ones, so that many get through the check. */
const filter = fc.letrec<{ logic: Json }>((tie) => ({
  logic: fc.oneof(
    { depthSize: 'medium', withCrossShrink: true },
    path.map((name): Json => ({ var: name })),
    fc.constantFrom<Json>(null, true, 0, 1, 'orders', 'PII.Sensitive', 'Classification'),
    json,
    fc
      .tuple(operatorName, fc.array(tie('logic'), { minLength: 1, maxLength: 3 }))
      .map(([name, args]): Json => ({ [name]: args })),
    fc
      .tuple(fc.constantFrom('and', 'or', '!', 'if', '==', 'in', '<'), tie('logic'), tie('logic'))
      .map(([name, a, b]): Json => ({ [name]: name === '!' ? [a] : [a, b] })),
    fc
      .tuple(
        fc.constantFrom('some', 'all', 'none', 'filter', 'map'),
        fc.constantFrom('tags', 'columns', 'extension.a'),
        tie('logic'),
      )
      .map(([name, list, condition]): Json => ({ [name]: [{ var: list }, condition] })),
  ),
})).logic;

describe('filters, whatever they say and whatever they meet', () => {
  it('never throw: neither the check, nor the answer, nor its explanation, which agrees with the answer', () => {
    let valid = 0;
    let matching = 0;
    fc.assert(
      fc.property(filter, fc.array(snapshot, { minLength: 1, maxLength: 3 }), (logic, states) => {
        const compiled = compileFilter(logic, ['filter']);
        if (!compiled.ok) {
          expect(compiled.error.length).toBeGreaterThan(0);
          return;
        }
        if (isJsonObject(logic)) valid += 1;
        for (const state of states) {
          const answer = compiled.value.matches(state);
          if (answer) matching += 1;
          expect(typeof answer).toBe('boolean');
          expect(compiled.value.explain(state).result).toBe(answer);
          const service = { name: state.service, types: ['Postgres'] };
          // What the service alone rules out can never match an entity of it.
          if (!compiled.value.couldMatch(service)) expect(answer).toBe(false);
        }
      }),
      { numRuns: 20_000, seed: 7 },
    );
    expect(valid).toBeGreaterThan(1500);
    expect(matching).toBeGreaterThan(500);
  });

  it('never let a path reach a prototype', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('extension', 'tags', '0', 'name', '__proto__', 'constructor', 'prototype'), {
          minLength: 1,
          maxLength: 5,
        }),
        (parts) => {
          fc.pre(parts.some((part) => ['__proto__', 'constructor', 'prototype'].includes(part)));
          expect(checkFilter({ var: parts.join('.') }, []).problems).not.toEqual([]);
        },
      ),
      { numRuns: 500, seed: 7 },
    );
    expect(Object.prototype).not.toHaveProperty('polluted');
  });
});
