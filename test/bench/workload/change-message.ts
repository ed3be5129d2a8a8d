import { randomUUID } from 'node:crypto';
import { formatFqn } from '../../../src/domain/fqn.ts';
import { changeSubject } from '../../../src/domain/subjects.ts';
import type { Place } from '../sources/bench-source.ts';
import type { Change } from './workload.ts';

/** A change as it lies in the stream. */
export interface ChangeMessage {
  readonly id: string;
  readonly subject: string;
  readonly body: string;
}

/** When the first change of a workload was made, epoch milliseconds; the others follow every 10 ms. */
const FIRST_CHANGE_MS = 1_796_000_000_000;

/** The event that OpenMetadata sends for a change, filled up to `bytes`. */
export function changeMessage(change: Change, place: Place, bytes: number): ChangeMessage {
  const path = [place.service, place.database, place.schema, change.table];
  const subject = changeSubject(place.service, { entityType: 'table', fqn: formatFqn(path) });
  const id = randomUUID();
  if (change.poison === 'unreadable') return { id, subject, body: `{"id": "${id}", "eventType": "entityUpd` };
  const bare = eventText(change, place, path, id, '').length;
  return { id, subject, body: eventText(change, place, path, id, 'x'.repeat(Math.max(0, bytes - bare))) };
}

function eventText(change: Change, place: Place, path: readonly string[], id: string, padding: string): string {
  const fqn = formatFqn(path);
  const time = FIRST_CHANGE_MS + change.index * 10;
  const version = (change.visit + 2) / 10;
  const entityId = `00000000-0000-4000-8000-${String(change.asset).padStart(12, '0')}`;
  const reference = (type: string, depth: number) => ({
    id: entityId,
    type,
    name: path[depth - 1],
    fullyQualifiedName: formatFqn(path.slice(0, depth)),
  });
  const own = change.texts.get('');
  const entity = {
    id: entityId,
    name: change.table,
    fullyQualifiedName: fqn,
    ...(own === undefined ? {} : { description: own }),
    version,
    updatedAt: time,
    updatedBy: 'ana',
    tableType: 'Regular',
    columns: [...change.texts]
      .filter(([column]) => column !== '')
      .map(([name, description]) => ({
        name,
        dataType: 'INT',
        fullyQualifiedName: formatFqn([...path, name]),
        description,
        tags: [],
      })),
    owners: [],
    tags: [],
    databaseSchema: reference('databaseSchema', 3),
    database: reference('database', 2),
    service: reference('databaseService', 1),
    serviceType: place.serviceType,
    deleted: false,
    followers: [],
    sourceHash: padding,
  };
  return JSON.stringify({
    id,
    eventType: 'entityUpdated',
    entityType: 'table',
    entityId,
    entityFullyQualifiedName: fqn,
    previousVersion: 0.1,
    currentVersion: version,
    userName: 'ana',
    timestamp: time,
    changeDescription: {
      fieldsAdded: [],
      fieldsUpdated: [...change.texts].map(([column, text]) => ({
        name: column === '' ? 'description' : `columns.${column}.description`,
        oldValue: 'before',
        newValue: text,
      })),
      fieldsDeleted: [],
      previousVersion: (change.visit + 1) / 10,
    },
    entity: JSON.stringify(entity),
  });
}
