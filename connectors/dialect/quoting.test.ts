import { describe, expect, it } from 'vitest';
import type { Place } from './dialect.ts';
import { dialectFromTable } from './dialect-from-table.ts';
import { mysqlDialect } from './mysql-dialect.ts';
import { postgresDialect } from './postgres-dialect.ts';

describe('PostgreSQL', () => {
  it.each([
    ['plain', "'plain'"],
    ['', "''"],
    ["it's", "'it''s'"],
    ['a\\', "E'a\\\\'"],
    ["\\'", "E'\\\\'''"],
    ['two\nlines', "'two\nlines'"],
  ])('quotes the text %j', (text, quoted) => {
    expect(postgresDialect.quoteLiteral(text)).toEqual({ ok: true, value: quoted });
  });

  it('quotes identifiers', () => {
    expect(postgresDialect.quoteIdentifier('Say "hi"\\')).toEqual({ ok: true, value: '"Say ""hi""\\"' });
  });

  it('counts identifiers in bytes', () => {
    expect(postgresDialect.quoteIdentifier('é'.repeat(31))).toMatchObject({ ok: true });
    expect(postgresDialect.quoteIdentifier('é'.repeat(32))).toMatchObject({ ok: false, error: { code: 'too-long' } });
  });

  it.each<[Place, string]>([
    ['string', "''\\\""],
    ['escape-string', "''\\\\\""],
    ['national-string', "''\\\""],
    ['double-quoted', '\'\\""'],
  ])('escapes inside %s', (place, escaped) => {
    expect(postgresDialect.escapeInside(place, '\'\\"')).toEqual({ ok: true, value: escaped });
  });

  it.each<Place>(['bare', 'backquoted', 'bracketed', 'dollar-quoted', 'line-comment', 'block-comment'])(
    'has no safe form inside %s',
    (place) => {
      expect(postgresDialect.escapeInside(place, 'x')).toMatchObject({
        ok: false,
        error: { code: 'not-representable' },
      });
    },
  );
});

describe('MySQL', () => {
  it.each([
    ["it's", "'it''s'"],
    ['a\\', "'a\\\\'"],
    ['say "hi"', '\'say "hi"\''],
  ])('quotes the text %j', (text, quoted) => {
    expect(mysqlDialect.quoteLiteral(text)).toEqual({ ok: true, value: quoted });
  });

  it('quotes identifiers and counts them in characters', () => {
    expect(mysqlDialect.quoteIdentifier('a`b\\')).toEqual({ ok: true, value: '`a``b\\`' });
    expect(mysqlDialect.quoteIdentifier('é'.repeat(64))).toMatchObject({ ok: true });
    expect(mysqlDialect.quoteIdentifier('é'.repeat(65))).toMatchObject({ ok: false, error: { code: 'too-long' } });
  });

  it('escapes inside double quotes as in a string', () => {
    expect(mysqlDialect.escapeInside('double-quoted', '\'\\"')).toEqual({ ok: true, value: '\'\\\\""' });
  });
});

describe('refusals', () => {
  it.each([
    ['a\0', 'nul'],
    ['\ud83d', 'lone-surrogate'],
    ['\udc00x', 'lone-surrogate'],
  ])('refuses %j', (text, code) => {
    for (const dialect of [postgresDialect, mysqlDialect]) {
      expect(dialect.quoteLiteral(text)).toMatchObject({ ok: false, error: { code } });
      expect(dialect.quoteIdentifier(text)).toMatchObject({ ok: false, error: { code } });
    }
  });

  it('refuses an empty name, which no engine knows', () => {
    expect(postgresDialect.quoteIdentifier('')).toMatchObject({ ok: false, error: { code: 'not-representable' } });
  });
});

describe('dialectFromTable', () => {
  const bracketed = dialectFromTable({
    name: 'brackets',
    regions: [
      { place: 'bracketed', open: '[', close: ']', doubling: true, backslash: false },
      { place: 'string', open: "'", close: "'", doubling: false, backslash: true },
    ],
    dollarQuoting: false,
    doubleQuoted: 'string',
    identifier: { max: 128, unit: 'characters' },
    identifierPlace: 'bracketed',
    trailingComment: false,
  });

  it('doubles the closing quote, whatever it is', () => {
    expect(bracketed.quoteIdentifier('a[b]c')).toEqual({ ok: true, value: '[a[b]]c]' });
  });

  it('puts a backslash before a quote where doubling means something else', () => {
    expect(bracketed.quoteLiteral("it's \\")).toEqual({ ok: true, value: "'it\\'s \\\\'" });
  });

  it('refuses a place that its table does not know', () => {
    expect(bracketed.escapeInside('double-quoted', 'x')).toMatchObject({ ok: false });
  });
});
