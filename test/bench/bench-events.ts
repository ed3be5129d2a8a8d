import { randomUUID } from 'node:crypto';
import { formatFqn } from '../../src/domain/fqn.ts';
import { changeSubject } from '../../src/domain/subjects.ts';

/** What a case publishes: `events` description changes over `assets` tables, each of about `bytes` bytes. */
export interface Workload {
  readonly assets: number;
  readonly events: number;
  readonly bytes: number;
}

export const SERVICE = 'bench_pg';
export const DATABASE = 'bench';

export interface BenchEvent {
  readonly id: string;
  readonly subject: string;
  readonly body: string;
  readonly table: string;
  readonly text: string;
}

export const tableName = (asset: number): string => `t${asset}`;

/** The events of a workload in the order in which they are published; each is newer than all before it. */
export function* benchEvents({ assets, events, bytes }: Workload): Generator<BenchEvent> {
  const start = 1_796_000_000_000;
  const versions = new Map<number, number>();
  for (let i = 0; i < events; i += 1) {
    // A walk that visits every asset before it comes back to one.
    const asset = (i * 7919) % assets;
    const table = tableName(asset);
    const version = (versions.get(asset) ?? 1) + 1;
    versions.set(asset, version);
    const text = `description ${i} of ${table}: it's "quoted" \\ and long enough to be one`;
    yield { id: randomUUID(), table, text, ...change(table, text, version, start + i * 10, bytes) };
  }
}

function change(table: string, text: string, version: number, time: number, bytes: number) {
  const path = [SERVICE, DATABASE, 'public', table];
  const fqn = formatFqn(path);
  const entityId = `00000000-0000-4000-8000-${table.slice(1).padStart(12, '0')}`;
  const reference = (type: string, depth: number) => ({
    id: entityId,
    type,
    name: path[depth - 1],
    fullyQualifiedName: formatFqn(path.slice(0, depth)),
  });
  const changeDescription = {
    fieldsAdded: [],
    fieldsUpdated: [{ name: 'description', oldValue: 'before', newValue: text }],
    fieldsDeleted: [],
    previousVersion: (version - 1) / 10,
  };
  const entity = {
    id: entityId,
    name: table,
    fullyQualifiedName: fqn,
    description: text,
    version: version / 10,
    updatedAt: time,
    updatedBy: 'ana',
    tableType: 'Regular',
    columns: [],
    owners: [],
    tags: [],
    databaseSchema: reference('databaseSchema', 3),
    database: reference('database', 2),
    service: reference('databaseService', 1),
    serviceType: 'Postgres',
    deleted: false,
    followers: [],
    sourceHash: '',
  };
  const event = (padding: string) =>
    JSON.stringify({
      id: randomUUID(),
      eventType: 'entityUpdated',
      entityType: 'table',
      entityId,
      entityFullyQualifiedName: fqn,
      previousVersion: 0.1,
      currentVersion: version / 10,
      userName: 'ana',
      timestamp: time,
      changeDescription,
      entity: JSON.stringify({ ...entity, sourceHash: padding }),
    });
  const bare = event('').length;
  return {
    subject: changeSubject(SERVICE, { entityType: 'table', fqn }),
    body: event('x'.repeat(Math.max(0, bytes - bare))),
  };
}

/** Table → the text that has to stand in the source at the end. */
export function finalTexts(workload: Workload): ReadonlyMap<string, string> {
  const texts = new Map<string, string>();
  for (const { table, text } of benchEvents(workload)) texts.set(table, text);
  return texts;
}
