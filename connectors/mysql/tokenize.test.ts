import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { err, ok, type Result } from '../../src/domain/result.ts';
import { type Token, tokenize } from './tokens.ts';

/** The rules said once more by regular expressions, one character at a time. */
function tokensByExpressions(text: string): Result<readonly Token[], undefined> {
  const tokens: Token[] = [];
  let depth = 0;
  let at = 0;
  const rules: readonly (readonly [Token['kind'], RegExp, -1 | 0 | 1])[] = [
    ['string', /'(?:[^'\\]|\\[\s\S]|'')*'(?!')/y, 0],
    ['string', /"(?:[^"\\]|\\[\s\S]|"")*"(?!")/y, 0],
    ['name', /`(?:[^`]|``)*`(?!`)/y, 0],
    ['mark', /\/\*M?!\d*/y, 1],
    ['space', /\/\*[\s\S]*?\*\//y, 0],
    ['mark', /\*\//y, -1],
    ['space', /\s+/y, 0],
    ['word', /(?:(?![\u{10000}-\u{10ffff}])[\p{L}\p{N}_$.@])+/uy, 0],
    ['symbol', /\(/y, 1],
    ['symbol', /\)/y, -1],
    ['symbol', /(?!["'`]|\/\*)[\s\S]/y, 0],
  ];
  while (at < text.length) {
    let found = false;
    for (const [kind, expression, step] of rules) {
      expression.lastIndex = at;
      const length = expression.exec(text)?.[0].length;
      if (length === undefined) continue;
      found = true;
      const inside = step === 1 ? depth + 1 : depth;
      depth += step;
      if (depth < 0) return err(undefined);
      tokens.push({ kind, start: at, end: at + length, depth: inside });
      at += length;
      break;
    }
    if (!found) return err(undefined);
  }
  return depth === 0 ? ok(tokens) : err(undefined);
}

const TRICKY = [
  "`a` int COMMENT 'it''s, (\\'x\\')'",
  "`a``b` varchar(10) DEFAULT 'COMMENT ''no''' COMMENT '\\\\' /*!50606 STORAGE DISK */",
  "`a` varchar(5) DEFAULT '\\\\''' COMMENT '--'",
  "`g` int GENERATED ALWAYS AS (concat(_utf8mb4'),',`a`)) STORED",
  '`j` longtext CHARACTER SET utf8mb4 COLLATE utf8mb4_bin DEFAULT NULL CHECK (json_valid(`j`))',
  '`c` varchar(100) /*M!100301 COMPRESSED*/ DEFAULT NULL',
  "`e` enum('a','b\\'','''') DEFAULT '/*' COMMENT '*/'",
  '`d` double DEFAULT -1.5e-3 /* a comment */ INVISIBLE',
  "`ключ_1` int COMMENT 'ö\u2028\u00a0😀'",
  "`u` int DEFAULT größe$1.@x COMMENT 'a\nb'",
];

const PIECES = fc.oneof(
  fc.constantFrom("'", '"', '`', '\\', '/*', '/*!50606', '/*M!', '*/', '(', ')', ',', ' ', '\n', '\t', '-', '/', '*'),
  fc.constantFrom(
    'COMMENT',
    'a1',
    '_x',
    '$',
    '@',
    '.',
    'é',
    'ß',
    '٣',
    '\u00a0',
    '\ufeff',
    '\u2028',
    '😀',
    '𝒜',
    '\ud800',
  ),
);

describe('tokenize', () => {
  it.each(TRICKY)('reads %s as the rules say', (definition) => {
    const tokens = tokenize(definition);
    expect(tokens.ok).toBe(true);
    expect(tokens).toEqual(tokensByExpressions(definition));
  });

  it('reads any text as the rules say', () => {
    let read = 0;
    const parts = fc.array(fc.oneof(PIECES, fc.constantFrom(...TRICKY)), { maxLength: 12 });
    fc.assert(
      fc.property(parts, (list) => {
        const text = list.join('');
        const tokens = tokenize(text);
        const expected = tokensByExpressions(text);
        expect(tokens.ok).toBe(expected.ok);
        if (!tokens.ok || !expected.ok) return;
        expect(tokens.value).toEqual(expected.value);
        read += 1;
      }),
      { numRuns: 5_000 },
    );
    expect(read).toBeGreaterThan(500);
  });
});
