import { describe, expect, it } from 'vitest';
import { sampleTable } from '../../test/support/sample-snapshot.ts';
import { entityDocument } from './entity-document.ts';
import { type Shape, VOCABULARY } from './vocabulary.ts';

const FULL = sampleTable({
  extra: {
    certification: { tagLabel: { tagFQN: 'Certification.Gold', source: 'Classification' } },
    reviewers: [{ id: '1', type: 'user', name: 'bo', fullyQualifiedName: 'bo', displayName: 'Bo' }],
    dataProducts: [{ id: '2', type: 'dataProduct', name: 'orders', fullyQualifiedName: 'Sales.orders' }],
    entityStatus: 'Approved',
    sourceUrl: 'https://x.example',
    retentionPeriod: 'P30D',
  },
});

/** All places where a document and the vocabulary do not say the same. */
function differences(shape: Shape, value: unknown, path: string): string[] {
  switch (shape.kind) {
    case 'free':
      return [];
    case 'text':
      return typeof value === 'string' ? [] : [`${path} is no text`];
    case 'number':
      return typeof value === 'number' ? [] : [`${path} is no number`];
    case 'flag':
      return typeof value === 'boolean' ? [] : [`${path} is no flag`];
    case 'list':
      if (!Array.isArray(value)) return [`${path} is no list`];
      return value.flatMap((item, index) => differences(shape.of, item, `${path}[${index}]`));
    case 'object': {
      if (typeof value !== 'object' || value === null) return [`${path} is no object`];
      const entries = new Map<string, unknown>(Object.entries(value));
      const unknown = [...entries.keys()].filter((key) => !Object.hasOwn(shape.members, key));
      return [
        ...unknown.map((key) => `${path}.${key} is not in the vocabulary`),
        ...Object.entries(shape.members).flatMap(([key, inner]) =>
          differences(inner, entries.get(key), `${path}.${key}`),
        ),
      ];
    }
  }
}

describe('entityDocument', () => {
  it('holds exactly the fields of the vocabulary', () => {
    expect(differences(VOCABULARY, entityDocument(FULL), '')).toEqual([]);
  });

  it('names parts by their FQN rules', () => {
    const document = entityDocument(sampleTable({ service: 'a.b', fqn: '"a.b".shop.public.orders' }));
    expect(document.service).toEqual({ name: 'a.b', fullyQualifiedName: '"a.b"', type: 'Postgres' });
    expect(document.databaseSchema).toEqual({ name: 'public', fullyQualifiedName: '"a.b".shop.public' });
  });

  it('splits tags, finds the tier, and lists nested columns behind their parent', () => {
    const document = entityDocument(FULL);
    expect(document.tags).toContainEqual({
      tagFQN: 'PII.Sensitive',
      classification: 'PII',
      name: 'Sensitive',
      source: 'Classification',
      labelType: 'Manual',
      state: 'Confirmed',
    });
    expect(document.tier).toEqual({ tagFQN: 'Tier.Tier2', name: 'Tier2' });
    expect(document.certification).toEqual({ tagFQN: 'Certification.Gold', name: 'Gold' });
    const columns: unknown = document.columns;
    const found = Array.isArray(columns) ? columns.map((item: { path: string }) => item.path) : [];
    expect(found).toEqual(['id', 'address', 'address."zip.code"']);
  });

  it('reads what the event does not carry as empty, and odd members as absent', () => {
    const { tags: _, owners: __, schema: ___, ...rest } = FULL;
    const document = entityDocument({
      ...rest,
      entityType: 'database',
      extra: { certification: 5, reviewers: ['x', { name: 3 }] },
    });
    expect(document).toMatchObject({
      tags: [],
      owners: [],
      tier: null,
      certification: null,
      reviewers: [],
      databaseSchema: null,
    });
  });

  it('is made once per snapshot', () => {
    expect(entityDocument(FULL)).toBe(entityDocument(FULL));
  });
});
