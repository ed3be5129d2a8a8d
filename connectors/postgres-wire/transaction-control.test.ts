import { describe, expect, it } from 'vitest';
import { postgresDialect } from '../dialect/postgres-dialect.ts';
import { controlsTransaction } from './transaction-control.ts';

describe('controlsTransaction', () => {
  it.each([
    'COMMIT',
    ' rollback to x',
    '/* /* */ */ Begin',
    '-- x\nEND;',
    ';;abort',
    "SELECT ';'; COMMIT",
    'START transaction',
    "PREPARE TRANSACTION 'x'",
  ])('sees %j', (statement) => {
    expect(controlsTransaction(statement, postgresDialect)).toBe(true);
  });

  it.each([
    "COMMENT ON TABLE t IS 'COMMIT; END'",
    '"commit"',
    'SELECT $$; COMMIT$$',
    '-- COMMIT',
    '/* ; END */ SELECT 1',
    'committed',
  ])('passes over %j', (statement) => {
    expect(controlsTransaction(statement, postgresDialect)).toBe(false);
  });
});
