import type { Column, OwnerReference, Snapshot, TagLabel } from '../../src/domain/snapshot.ts';

export function label(tagFQN: string, over: Partial<TagLabel> = {}): TagLabel {
  return { tagFQN, source: 'Classification', labelType: 'Manual', state: 'Confirmed', ...over };
}

export function owner(name: string, over: Partial<OwnerReference> = {}): OwnerReference {
  return { id: `id-${name}`, type: 'user', name, inherited: false, ...over };
}

export function column(name: string, over: Partial<Column> = {}): Column {
  return { name, path: [name], dataType: 'BIGINT', tags: [], children: [], ...over };
}

/** `pg_sales.shop.public.orders`, a table with a tag, a tier, an owner and a nested column. */
export function sampleTable(over: Partial<Snapshot> = {}): Snapshot {
  return {
    entityId: 'e1',
    entityType: 'table',
    fqn: 'pg_sales.shop.public.orders',
    name: 'orders',
    service: 'pg_sales',
    serviceType: 'Postgres',
    database: 'shop',
    schema: 'public',
    tableType: 'Regular',
    description: 'One row per order.',
    tags: [label('PII.Sensitive'), label('Tier.Tier2')],
    owners: [owner('ana', { displayName: 'Ana' })],
    domains: ['Sales'],
    extension: { costCenter: 'CC-104', retentionDays: 30 },
    columns: [
      column('id'),
      column('address', {
        dataType: 'STRUCT',
        children: [
          column('zip.code', { path: ['address', 'zip.code'], tags: [label('PII.None')], description: 'Post code' }),
        ],
      }),
    ],
    version: 0.3,
    updatedAt: 1_764_000_000_000,
    updatedBy: 'ana',
    deleted: false,
    extra: {},
    ...over,
  };
}
