import { randomUUID } from 'node:crypto';

export interface TableEventOptions {
  /** Unquoted names: service, database, schema, table. */
  readonly path?: readonly [string, string, string, string];
  readonly description?: string;
  readonly entity?: Readonly<Record<string, unknown>>;
  readonly envelope?: Readonly<Record<string, unknown>>;
}

/** A table event as OpenMetadata sends it (entity as JSON text), whose description was changed. */
export function tableEvent(options: TableEventOptions = {}) {
  const path = options.path ?? ['pg_sales', 'shop', 'public', 'orders'];
  const quoted = path.map((part) => (/[".]/.test(part) ? `"${part.replaceAll('"', '""')}"` : part));
  const [service, database, schema] = quoted;
  const reference = (type: string, ...parts: readonly (string | undefined)[]) => ({
    id: randomUUID(),
    type,
    name: path[parts.length - 1],
    fullyQualifiedName: parts.join('.'),
  });
  const entity = {
    id: randomUUID(),
    name: path[3],
    fullyQualifiedName: quoted.join('.'),
    description: options.description ?? 'Orders of the shop',
    version: 0.2,
    updatedAt: 1_796_030_786_973,
    updatedBy: 'ana',
    tableType: 'Regular',
    columns: [{ name: 'order_id', dataType: 'BIGINT', fullyQualifiedName: `${quoted.join('.')}.order_id`, tags: [] }],
    tags: [],
    owners: [],
    service: reference('databaseService', service),
    database: reference('database', service, database),
    databaseSchema: reference('databaseSchema', service, database, schema),
    serviceType: 'Postgres',
    deleted: false,
    ...options.entity,
  };
  return {
    id: randomUUID(),
    eventType: 'entityUpdated',
    entityType: 'table',
    entityId: entity.id,
    entityFullyQualifiedName: entity.fullyQualifiedName,
    previousVersion: 0.1,
    currentVersion: 0.2,
    userName: 'ana',
    timestamp: 1_796_030_786_973,
    changeDescription: {
      previousVersion: 0.1,
      fieldsAdded: [],
      fieldsUpdated: [{ name: 'description', oldValue: 'Orders', newValue: entity.description }],
      fieldsDeleted: [],
    },
    entity: JSON.stringify(entity),
    ...options.envelope,
  };
}
