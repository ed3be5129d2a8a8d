import { describe, expect, it } from 'vitest';
import { diffConfig, formatDifference } from './diff.ts';
import { exportConfig } from './export.ts';
import { parseConfig } from './load.ts';
import { decodeRevision, encodeRevision, RevisionError } from './revision.ts';
import type { ConfigDocument } from './schema.ts';

const TEXT = `targets:
  - service: pg_sales
    connection: { type: Postgres, hostPort: "db:5432", username: "on", database: "007" }
    rateLimit: { perSecond: 5 }
channels:
  - name: "yes"
    filter: { some: [ { var: tags }, { "==": [ { var: tagFQN }, PII.Sensitive ] } ] }
    template: |
      COMMENT ON TABLE {schema}.{table}
        IS {description} -- {{x}}
owners: { map: { "a: b": c } }
ignoreUsers: [ ingestion-bot ]
`;

function documentOf(text: string): ConfigDocument {
  const loaded = parseConfig([{ file: 'a.yaml', text }]);
  if (!loaded.ok) throw new Error('not valid');
  return loaded.value.document;
}

describe('a stored revision', () => {
  const document = documentOf(TEXT);

  it('comes back as it was stored', () => {
    const revision = { v: 1 as const, document, hash: 'h', at: 5, by: 'ana' };
    expect(decodeRevision(encodeRevision(revision))).toEqual(revision);
  });

  it.each([
    ['no JSON', '{', 'is no JSON; apply it again'],
    ['another version', JSON.stringify({ v: 2, document: {}, hash: 'h', at: 1, by: '' }), 'v: '],
    [
      'a document of another schema',
      JSON.stringify({ v: 1, document: { nope: 1 }, hash: 'h', at: 1, by: '' }),
      'does not fit this version (document',
    ],
  ])('that is %s is told', (_, text, expected) => {
    expect(() => decodeRevision(text)).toThrow(RevisionError);
    expect(() => decodeRevision(text)).toThrow(expected);
  });

  it('exports to YAML that says the same', () => {
    expect(documentOf(exportConfig(document))).toEqual(document);
  });
});

describe('a difference', () => {
  const before = documentOf(TEXT);
  const change = (from: string, to: string): string =>
    formatDifference(diffConfig(before, documentOf(TEXT.replace(from, to))));

  it('is nothing between equal documents, whatever their order', () => {
    expect(change('{ type: Postgres, hostPort: "db:5432"', '{ hostPort: "db:5432", type: Postgres')).toBe(
      'no difference',
    );
  });

  it('names what was added, removed and changed', () => {
    expect(change('perSecond: 5', 'perSecond: 9')).toBe('~ target pg_sales\n    rateLimit.perSecond: 5 → 9');
    expect(change('rateLimit: { perSecond: 5 }', 'paused: true')).toBe(
      '~ target pg_sales\n    rateLimit: {"perSecond":5} → (unset)\n    paused: (unset) → true',
    );
    expect(change('service: pg_sales', 'service: pg_new')).toBe('+ target pg_new\n- target pg_sales');
    expect(change('PII.Sensitive', 'PII.None')).toContain('~ channel yes\n    filter.some: ');
    expect(change('{ map: { "a: b": c } }', '{ team: skip }')).toBe(
      '~ owners\n    map: {"a: b":"c"} → (unset)\n    team: (unset) → "skip"',
    );
    expect(change('[ ingestion-bot ]', '[]')).toBe('~ ignoreUsers\n    (document): ["ingestion-bot"] → []');
  });
});
