import { describe, expect, it } from 'vitest';
import { compileTemplate } from '../../src/template/compile.ts';
import { mssqlDialect } from './mssql-dialect.ts';

describe('Transact-SQL', () => {
  it.each([
    ["it's", "N'it''s'"],
    ['', "N''"],
    ['a\\', "N'a\\\\\r\n'"],
    ['say "hi" [x]', 'N\'say "hi" [x]\''],
  ])('quotes the text %j', (text, quoted) => {
    expect(mssqlDialect.quoteLiteral(text)).toEqual({ ok: true, value: quoted });
  });

  it('quotes identifiers and counts them in UTF-16 units', () => {
    expect(mssqlDialect.quoteIdentifier('a[b]"c')).toEqual({ ok: true, value: '[a[b]]"c]' });
    expect(mssqlDialect.quoteIdentifier('😀'.repeat(64))).toMatchObject({ ok: true });
    expect(mssqlDialect.quoteIdentifier('😀'.repeat(65))).toMatchObject({ ok: false, error: { code: 'too-long' } });
    expect(mssqlDialect.escapeInside('double-quoted', 'x'.repeat(129))).toMatchObject({ ok: false });
  });

  it("takes no text into '…', and says what to write instead", () => {
    const compiled = compileTemplate("EXEC p @value = '{description}'", mssqlDialect);
    expect(compiled).toMatchObject({ ok: false, error: [{ line: 1, message: expect.stringContaining("write N'…'") }] });
    expect(compileTemplate("EXEC p @value = N'{description}', @mode = 'fixed'", mssqlDialect).ok).toBe(true);
  });

  it('takes none into comments, which nest', () => {
    expect(compileTemplate('SELECT 1 /* /* */ {description} */', mssqlDialect).ok).toBe(false);
    expect(compileTemplate('SELECT 1 -- {description}', mssqlDialect).ok).toBe(false);
  });
});
