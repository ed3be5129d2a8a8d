import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeReserved, formatFqn, parseFqn } from './fqn.ts';

const hostile = fc.array(fc.constantFrom('.', '"', '\\', ' ', '\n', '😀', "'", '*', 'a', 'É', '\u0000', '\ud800'), {
  maxLength: 8,
});
const part = fc.oneof(
  hostile.map((chars) => chars.join('')),
  fc.string({ unit: 'binary' }),
  fc.string({ unit: 'grapheme' }),
);

describe('parseFqn', () => {
  it('reads back what formatFqn wrote, whatever the parts hold', () => {
    fc.assert(
      fc.property(fc.array(part, { minLength: 1, maxLength: 5 }), (parts) => {
        fc.pre(!(parts.length === 1 && parts[0] === ''));
        expect(parseFqn(formatFqn(parts))).toEqual({ ok: true, value: parts });
      }),
      { numRuns: 2_000 },
    );
  });

  it('gives one canonical form for each name', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('.', '"', '\\', 'a', ' ') }), (text) => {
        const parts = parseFqn(text);
        if (parts.ok) expect(parseFqn(formatFqn(parts.value))).toEqual(parts);
      }),
      { numRuns: 2_000 },
    );
  });

  it.each([
    ['pg_sales.shop.public.orders', ['pg_sales', 'shop', 'public', 'orders']],
    ['pg_sales.shop.public."daily.orders"."unit.price"', ['pg_sales', 'shop', 'public', 'daily.orders', 'unit.price']],
    ['"quoted"', ['quoted']],
    ["s.My 'odd' (table)", ['s', "My 'odd' (table)"]],
    ['s.say \\"hi\\"', ['s', 'say "hi"']],
    ['s."a\\b.c"', ['s', 'a\\b.c']],
    ['s."a.\\\\"', ['s', 'a.\\']],
    ['a..b', ['a', '', 'b']],
  ])('%s', (fqn, parts) => {
    expect(parseFqn(fqn)).toEqual({ ok: true, value: parts });
  });

  it.each([
    ['', 'fqn-empty', 0],
    ['a."b.c', 'fqn-unterminated-quote', 2],
    ['a."b"c', 'fqn-text-after-quote', 5],
  ])('refuses %j with %s', (fqn, code, at) => {
    expect(parseFqn(fqn)).toMatchObject({ ok: false, error: { code, at } });
  });
});

describe('formatFqn', () => {
  it('quotes only what needs it, so that names look as in the catalogue', () => {
    expect(formatFqn(['pg', 'shop', 'two words', 'daily.orders'])).toBe('pg.shop.two words."daily.orders"');
    expect(formatFqn(['pg', '', 'say "hi"'])).toBe('pg.""."say \\"hi\\""');
  });
});

describe('decodeReserved', () => {
  it('gives names as the source system knows them', () => {
    expect(decodeReserved('a__reserved__colon__b__reserved__arrow__c__reserved__quote__')).toBe('a::b>c"');
    expect(decodeReserved('plain')).toBe('plain');
  });
});
