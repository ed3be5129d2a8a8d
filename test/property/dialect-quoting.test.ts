import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Dialect } from '../../connectors/dialect/dialect.ts';
import { lex } from '../../connectors/dialect/lex.ts';
import { mysqlDialect } from '../../connectors/dialect/mysql-dialect.ts';
import { postgresDialect } from '../../connectors/dialect/postgres-dialect.ts';
import { hostileName, hostileText, refusedText } from '../support/hostile-text.ts';
import { mysqlOracle, postgresOracle } from '../support/quoting-oracle.ts';
import { MYSQL_NOISE, POSTGRES_NOISE, randomTemplate } from '../support/template-noise.ts';

const ENGINES = [
  { engine: 'PostgreSQL', dialect: postgresDialect, oracle: await postgresOracle() },
  { engine: 'MySQL', dialect: mysqlDialect, oracle: mysqlOracle() },
];

const quotedOf = (quoted: ReturnType<Dialect['quoteLiteral']>): string => {
  if (!quoted.ok) throw new Error(`refused: ${quoted.error.code}`);
  return quoted.value;
};

describe.each(ENGINES)('$engine', ({ dialect, oracle }) => {
  it('reads a quoted literal back as it was', () => {
    fc.assert(
      fc.property(hostileText(), (text) => {
        expect(oracle.readText(oracle.textTemplate(quotedOf(dialect.quoteLiteral(text))))).toBe(text);
      }),
      { numRuns: 5000 },
    );
  });

  it('reads a quoted identifier back as it was', () => {
    fc.assert(
      fc.property(hostileName(dialect.identifier), (name) => {
        expect(oracle.readName(oracle.nameTemplate(quotedOf(dialect.quoteIdentifier(name))))).toBe(name);
      }),
      { numRuns: 5000 },
    );
  });

  it('refuses NUL and lone surrogates everywhere', () => {
    fc.assert(
      fc.property(refusedText(), ({ text, code }) => {
        const refusal = { ok: false, error: { code } };
        expect(dialect.quoteLiteral(text)).toMatchObject(refusal);
        expect(dialect.quoteIdentifier(text)).toMatchObject(refusal);
        expect(dialect.escapeInside('string', text)).toMatchObject(refusal);
      }),
    );
  });

  it('refuses a name exactly when it is longer than the engine allows', () => {
    const { max, unit } = dialect.identifier;
    fc.assert(
      fc.property(hostileName({ max: max * 2, unit }), (name) => {
        const length = unit === 'bytes' ? new TextEncoder().encode(name).length : [...name].length;
        const quoted = dialect.quoteIdentifier(name);
        expect(quoted.ok ? 'ok' : quoted.error.code).toBe(length > max ? 'too-long' : 'ok');
      }),
      { numRuns: 3000 },
    );
  });

  it('quotes what its own lexer reads as one token', () => {
    fc.assert(
      fc.property(hostileText(), hostileName(dialect.identifier), (text, name) => {
        for (const quoted of [quotedOf(dialect.quoteLiteral(text)), quotedOf(dialect.quoteIdentifier(name))]) {
          expect(lex(quoted, dialect)).toMatchObject({
            ok: true,
            value: [{ kind: 'region', start: 0, end: quoted.length }],
          });
        }
      }),
      { numRuns: 2000 },
    );
  });

  it('cuts any text into tokens without gaps', () => {
    const noise = dialect === postgresDialect ? POSTGRES_NOISE : MYSQL_NOISE;
    fc.assert(
      fc.property(fc.oneof(randomTemplate(noise), hostileText()), (text) => {
        const tokens = lex(text, dialect);
        if (!tokens.ok) {
          expect(text.slice(tokens.error.offset)).not.toBe('');
          return;
        }
        expect(tokens.value.map((token) => text.slice(token.start, token.end)).join('')).toBe(text);
        expect(tokens.value.every((token) => token.end > token.start)).toBe(true);
      }),
      { numRuns: 3000 },
    );
  });
});

describe('PostgreSQL', () => {
  it('quotes literals so that standard_conforming_strings does not matter', () => {
    fc.assert(
      fc.property(hostileText(), (text) => {
        const quoted = quotedOf(postgresDialect.quoteLiteral(text));
        expect(quoted.startsWith("E'")).toBe(text.includes('\\'));
      }),
    );
  });
});
