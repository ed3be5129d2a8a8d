import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { allConnectors } from '../../connectors/registry.ts';
import { connectorMatrix } from './connector-matrix.ts';

describe('connectorMatrix', () => {
  it('is what the README shows (backflow connectors --markdown prints it)', () => {
    expect(readFileSync(new URL('../../README.md', import.meta.url), 'utf8')).toContain(
      connectorMatrix(allConnectors()),
    );
  });

  it('marks what cannot be cleared, and leaves out what cannot be set', () => {
    const matrix = connectorMatrix(allConnectors());
    expect(matrix).toContain('| `postgres` (Postgres) | database, schema, table (');
    expect(matrix).toMatch(/`postgres`.*\| – \| database\*, schema\*, table\* \(/);
  });
});
