import { changeSubject } from '../../src/domain/subjects.ts';
import { tableEvent } from '../support/table-event.ts';

export const SERVICE = 'soak_pg';
export const DATABASE = 'soak';

/** Tables of this schema are written; the channel's filter refuses all others. */
export const WRITTEN_SCHEMA = 'public';

/** A change as it is published, and the text that it says. */
export interface SoakEvent {
  readonly id: string;
  readonly subject: string;
  readonly body: string;
  readonly text: string;
}

/** Makes description changes of tables, each newer than the last one of its table. */
export class SoakEdits {
  readonly #versions = new Map<string, number>();
  readonly #schema: string;

  constructor(schema: string) {
    this.#schema = schema;
  }

  /** The next change of a table. `remember`: whether more changes of it will come. */
  next(number: number, time: number, remember = true): SoakEvent {
    const table = `t${number}`;
    const version = (this.#versions.get(table) ?? 1) + 1;
    if (remember) this.#versions.set(table, version);
    const text = `edit ${version} of ${table}: it's "quoted" \\ and ${'long '.repeat(8)}enough`;
    const entityId = `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
    const event = tableEvent({
      path: [SERVICE, DATABASE, this.#schema, table],
      description: text,
      entity: { id: entityId, version: version / 10, updatedAt: time },
      envelope: {
        entityId,
        currentVersion: version / 10,
        previousVersion: (version - 1) / 10,
        timestamp: time,
        changeDescription: {
          previousVersion: (version - 1) / 10,
          fieldsAdded: [],
          fieldsUpdated: [{ name: 'description', oldValue: 'before', newValue: text }],
          fieldsDeleted: [],
        },
      },
    });
    return {
      id: event.id,
      subject: changeSubject(SERVICE, { entityType: 'table', fqn: event.entityFullyQualifiedName }),
      body: JSON.stringify(event),
      text,
    };
  }
}
