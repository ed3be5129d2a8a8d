import { describe, expect, it } from 'vitest';
import type { Dialect } from './dialect.ts';
import { lex, splitStatements } from './lex.ts';
import { mysqlDialect } from './mysql-dialect.ts';
import { postgresDialect } from './postgres-dialect.ts';

/** The places of the quoted and commented stretches, each with its content. */
function regions(source: string, dialect: Dialect): readonly string[] {
  const tokens = lex(source, dialect);
  if (!tokens.ok) return [`error at ${tokens.error.offset}`];
  return tokens.value.flatMap((token) =>
    token.kind === 'region' ? `${token.region.place} ${source.slice(token.contentStart, token.contentEnd)}` : [],
  );
}

function statements(source: string, dialect: Dialect): readonly string[] {
  const tokens = lex(source, dialect);
  if (!tokens.ok) return [];
  return splitStatements(source, tokens.value).map((statement) =>
    statement.map((token) => source.slice(token.start, token.end)).join(''),
  );
}

describe('lex for PostgreSQL', () => {
  it.each([
    ["'it''s'", ["string it''s"]],
    ["'a\\' b", ['string a\\']],
    ["E'a\\' b'", ["escape-string a\\' b"]],
    ["e'a\\\\' b", ['escape-string a\\\\']],
    ["N'a' nope'b'", ['national-string a', 'string b']],
    ["type'a'", ['string a']],
    ['"a""b" U&"x"', ['double-quoted a""b', 'double-quoted x']],
    ["$$a'b$$ $t$ $$ $t$", ["dollar-quoted a'b", 'dollar-quoted  $$ ']],
    ['a$b$ $1 $b$c$b$', ['dollar-quoted c']],
    ['/* a /* b */ c */ d', ['block-comment  a /* b */ c ']],
    ["-- it's\r'x' -- end", ["line-comment  it's", 'string x', 'line-comment  end']],
    ["a--b'", ["line-comment b'"]],
    ["ä'x'", ['string x']],
    ['# "a"', ['double-quoted a']],
  ])('%s', (source, expected) => {
    expect(regions(source, postgresDialect)).toEqual(expected);
  });

  it.each([
    ["a 'b", 2],
    ['/* /* */', 0],
    ["E'\\'", 0],
    ['x $t$ $T$', 2],
  ])('says where %s stays open', (source, offset) => {
    expect(regions(source, postgresDialect)).toEqual([`error at ${offset}`]);
  });
});

describe('lex for MySQL', () => {
  it.each([
    ["'a\\' b' c", ["string a\\' b"]],
    ['"a\\" ""b" `c``d\\`', ['double-quoted a\\" ""b', 'backquoted c``d\\']],
    ["/* a /* b */ 'c'", ['block-comment  a /* b ', 'string c']],
    ["5--'a' -- 'b'\n--\t'c'\n--", ['string a', "line-comment  'b'", "line-comment \t'c'", 'line-comment ']],
    ["# it's\n'x'", ["line-comment  it's", 'string x']],
    ["-- a\r'x'\n'y'", ["line-comment  a\r'x'", 'string y']],
    ['/*!50606 STORAGE DISK */', ['block-comment 50606 STORAGE DISK ']],
    ["n'a' x'41' $$ 'b'", ['national-string a', 'string 41', 'string b']],
  ])('%s', (source, expected) => {
    expect(regions(source, mysqlDialect)).toEqual(expected);
  });
});

describe('splitStatements', () => {
  it('cuts at semicolons outside of quotes and comments, and leaves out what says nothing', () => {
    expect(statements("SELECT ';' -- ;\n; /* ; */ ; ;SELECT $$;$$", postgresDialect)).toEqual([
      "SELECT ';' -- ;\n",
      'SELECT $$;$$',
    ]);
  });

  it('counts what a server may run out of a comment as a statement', () => {
    expect(statements('/* a */; /*!40101 SET x = 1 */', mysqlDialect)).toEqual([' /*!40101 SET x = 1 */']);
  });
});
