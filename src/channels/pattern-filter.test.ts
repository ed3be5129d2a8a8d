import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sampleTable } from '../../test/support/sample-snapshot.ts';
import { formatProblem } from '../config/problem.ts';
import { formatFqn } from '../domain/fqn.ts';
import { decidingClause } from './explain-filter.ts';
import { type CompiledFilter, compileFilter } from './json-logic-filter.ts';
import { combineFilters, compilePatterns } from './pattern-filter.ts';

const ORDERS = 'pg_sales.shop.public.orders';

function patterns(include: readonly string[], exclude: readonly string[] = []): CompiledFilter {
  const compiled = compilePatterns(include, exclude, ['channels', 0]);
  if (!compiled.ok || compiled.value === undefined) throw new Error('no filter');
  return compiled.value;
}

const fits = (pattern: string, fqn: string): boolean => patterns([pattern]).matches(sampleTable({ fqn }));

describe('patterns', () => {
  it.each<readonly [string, string, boolean]>([
    [ORDERS, ORDERS, true],
    ['pg_sales.**', ORDERS, true],
    ['pg_sales.*', ORDERS, false],
    ['pg_sales.*.*.*', ORDERS, true],
    ['**.orders', ORDERS, true],
    ['**', ORDERS, true],
    ['*.**.ord*', ORDERS, true],
    ['pg_*.sh*p.*.*', ORDERS, true],
    ['pg_sales.**.public.**', ORDERS, true],
    ['pg_sales.**.private.**', ORDERS, false],
    ['pg_sales.shop.**', 'pg_sales.shop', true],
    ['pg_sales.shop', ORDERS, false],
    ['PG_SALES.**', ORDERS, false],
    ['"a.b".*', '"a.b".shop', true],
    ['a.b.*', '"a.b".shop', false],
    ['svc.*x*x', 'svc.xax', true],
    ['svc.ab*ba', 'svc.aba', false],
    ['svc.[ab]+(', 'svc.[ab]+(', true],
  ])('%s on %s: %s', (pattern, fqn, expected) => {
    expect(fits(pattern, fqn)).toBe(expected);
  });

  it('lets exclude win over include, and everything in when only exclude is given', () => {
    const both = patterns(['pg_sales.**'], ['**.orders']);
    expect(both.matches(sampleTable())).toBe(false);
    expect(both.matches(sampleTable({ fqn: 'pg_sales.shop.public.items' }))).toBe(true);
    expect(decidingClause(both.explain(sampleTable()))).toBe('excluded by **.orders is false');
    expect(patterns([], ['other.**']).matches(sampleTable())).toBe(true);
  });

  it('combines with a JsonLogic filter, and says which of both decided', () => {
    const logic = compileFilter({ '==': [{ var: 'tableType' }, 'View'] }, ['filter']);
    if (!logic.ok) throw new Error('filter');
    const filter = combineFilters(patterns(['pg_sales.**']), logic.value);
    expect(filter.matches(sampleTable({ tableType: 'View' }))).toBe(true);
    expect(decidingClause(filter.explain(sampleTable()))).toBe('tableType == "View" (tableType is "Regular") is false');
    expect(combineFilters(undefined, undefined).matches(sampleTable())).toBe(true);
  });

  it('knows the services that it can concern', () => {
    expect(patterns(['pg_*.**']).couldMatch({ name: 'pg_sales', types: [] })).toBe(true);
    expect(patterns(['pg_*.**']).couldMatch({ name: 'trino', types: [] })).toBe(false);
    expect(patterns(['**.orders']).couldMatch({ name: 'trino', types: [] })).toBe(true);
    expect(patterns([], ['trino.**']).couldMatch({ name: 'trino', types: [] })).toBe(false);
    expect(patterns([], ['trino.x']).couldMatch({ name: 'trino', types: [] })).toBe(true);
  });

  it.each(['', 'a..b', '"unended', 'x'.repeat(2000)])('refuses %j with its place and a remedy', (source) => {
    const compiled = compilePatterns(['ok.**'], [source], ['channels', 3]);
    const text = compiled.ok ? '' : compiled.error.map(formatProblem).join('\n');
    expect(text).toContain('channels[3].exclude[0]');
    expect(text).toContain('write parts joined by dots');
  });

  it('fits the FQN that it was made from, whatever the names hold', () => {
    const name = fc.string({ minLength: 1, maxLength: 12 }).filter((text) => !text.includes('*'));
    fc.assert(
      fc.property(fc.array(name, { minLength: 2, maxLength: 5 }), (parts) => {
        const fqn = formatFqn(parts);
        expect(fits(fqn, fqn)).toBe(true);
        expect(fits(`${formatFqn(parts.slice(0, 1))}.**`, fqn)).toBe(true);
        expect(fits(formatFqn([...parts.slice(0, -1), 'other*']), formatFqn([...parts.slice(0, -1), 'x']))).toBe(false);
      }),
      { numRuns: 500, seed: 3 },
    );
  });

  it('does not slow down on a pattern of many stars', () => {
    const pattern = patterns([`${'**.a*a*a*a*b.'.repeat(30)}end`]);
    expect(pattern.matches(sampleTable({ fqn: `${'a'.repeat(2000)}.`.repeat(50).slice(0, -1) }))).toBe(false);
  });
});
