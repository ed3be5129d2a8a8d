import { describe, expect, it } from 'vitest';
import {
  boundedStatements,
  encodeWholeValues,
  hasLongValues,
  parseWholeValues,
  valueLimit,
  withCutValues,
  withWholeValues,
} from './long-values.ts';
import type { OutcomeItem } from './outcome.ts';

const item = (more: Partial<OutcomeItem>): OutcomeItem => ({
  sequence: 1,
  eventId: 'e1',
  aspect: 'description',
  object: 'c1',
  status: 'applied',
  ...more,
});

const encoded = (items: readonly OutcomeItem[], limit: number) => Buffer.concat([...encodeWholeValues(items, limit)]);

describe('long values', () => {
  it('keeps as many statements as fit, and says how many it left out', () => {
    const statements = Array.from({ length: 100 }, (_, i) => `STATEMENT ${i} ${'x'.repeat(500)}`);
    const kept = boundedStatements(statements);
    expect(kept.slice(0, -1)).toEqual(statements.slice(0, kept.length - 1));
    expect(kept.at(-1)).toBe(`… (${101 - kept.length} more statements)`);
    expect(kept.join('').length).toBeLessThan(17_000);
  });

  it('cuts a long value with a mark and its hash, never through a character', () => {
    const long = `${'x'.repeat(4_095)}🦆${'y'.repeat(100)}`;
    expect(withCutValues(item({ after: long }), 4_096).after).toMatch(
      /^x{4095}\uFFFD… \(cut; 4197 characters, sha256 [0-9a-f]{64}\)$/,
    );
  });

  it('leaves alone what is short, and finds everything that is long', () => {
    const short = item({
      before: 'x'.repeat(4_096),
      after: '',
      statements: ['S', 'T'],
      notes: ['n'],
      reason: 'because',
      failure: { class: 'invalid', code: 'c', message: 'm' },
    });
    expect(hasLongValues(short, 4_096)).toBe(false);
    expect(withCutValues(short, 4_096)).toEqual(short);
    const long = 'x'.repeat(4_097);
    const cases: readonly Partial<OutcomeItem>[] = [
      { before: long },
      { after: long },
      { reason: long },
      { statements: [long] },
      { statements: Array.from({ length: 50 }, () => 'x'.repeat(400)) },
      { notes: Array.from({ length: 50 }, () => 'x'.repeat(400)) },
      { failure: { class: 'invalid', code: 'c', message: long } },
    ];
    for (const one of cases) {
      expect(hasLongValues(item(one), 4_096)).toBe(true);
      expect(JSON.stringify(withCutValues(item(one), 4_096)).length).toBeLessThan(20_000);
    }
  });

  it('allows less to each value where there are very many, so that the parts of an outcome stay few', () => {
    const many = (count: number) =>
      Array.from({ length: count }, (_, i) =>
        item({ object: `c${i}`, after: 'x'.repeat(2_000), statements: ['y'.repeat(2_000)] }),
      );
    expect(valueLimit(many(10))).toBe(4_096);
    const items = many(1_500);
    const limit = valueLimit(items);
    expect(limit).toBe(256);
    const cut = items.map((one) => withCutValues(one, limit));
    expect(JSON.stringify(cut).length).toBeLessThan(1_500_000);
    const values = parseWholeValues(encoded(items, limit));
    expect(cut.map((one) => withWholeValues(one, values ?? new Map()))).toEqual(items);
  });

  it('gives the whole values back to the item that they belong to', () => {
    const [whole, other, short] = [
      item({ after: 'x'.repeat(9_000), statements: ['y'.repeat(9_000), 'z'] }),
      item({ object: 'c2', after: 'o'.repeat(5_000), channel: 'docs' }),
      item({ object: 'c3', after: 'short' }),
    ];
    const values = parseWholeValues(encoded([whole, other, short], 4_096));
    expect(values?.size).toBe(2);
    expect(withWholeValues(withCutValues(whole, 4_096), values ?? new Map())).toEqual(whole);
    expect(withWholeValues(withCutValues(other, 4_096), values ?? new Map())).toEqual(other);
    expect(withWholeValues(short, values ?? new Map())).toEqual(short);
    expect(parseWholeValues(Buffer.from('{'))).toBeUndefined();
    expect(parseWholeValues(Buffer.from('{}\n'))).toBeUndefined();
  });
});
