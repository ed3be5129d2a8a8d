import { randomUUID } from 'node:crypto';
import { formatFqn } from '../domain/fqn.ts';

/** A column of the sample catalogue. */
export interface SampleColumn {
  readonly name: string;
  readonly dataType: string;
  description?: string;
  tags: SampleTag[];
}

export interface SampleTag {
  readonly tagFQN: string;
  readonly source: 'Classification';
  readonly labelType: 'Manual';
  readonly state: 'Confirmed';
}

export function tag(tagFQN: string): SampleTag {
  return { tagFQN, source: 'Classification', labelType: 'Manual', state: 'Confirmed' };
}

/** An entity as the sample catalogue keeps it. */
export interface SampleEntity {
  readonly id: string;
  readonly entityType: 'database' | 'databaseSchema' | 'table';
  readonly path: readonly string[];
  readonly serviceType: string;
  readonly tableType?: string;
  description?: string;
  tags: SampleTag[];
  owners: { readonly id: string; readonly type: string; readonly name: string }[];
  readonly columns: SampleColumn[];
  version: number;
  updatedAt: number;
  updatedBy: string;
}

export interface SampleChange {
  readonly name: string;
  readonly oldValue?: string;
  readonly newValue?: string;
}

/** A change event as OpenMetadata sends it: one JSON text, the entity inside as a JSON text of its own. */
export interface SampleEvent {
  readonly id: string;
  readonly fqn: string;
  readonly body: string;
}

/**
 * A very small OpenMetadata: keeps entities and gives the change event for each edit, with the members that a 1.12 server sends.
 * Time moves by one second with every edit, so that the order of the edits is never in doubt.
 */
export class SampleCatalogue {
  #now = Date.now() - 3_600_000;

  entity(
    parts: Pick<SampleEntity, 'entityType' | 'path' | 'serviceType'> &
      Partial<Pick<SampleEntity, 'tableType' | 'description' | 'tags' | 'columns'>>,
  ): SampleEntity {
    return {
      id: randomUUID(),
      tags: [],
      owners: [],
      columns: [],
      version: 0.1,
      updatedAt: this.#now,
      updatedBy: 'admin',
      ...parts,
    };
  }

  setDescription(entity: SampleEntity, text: string | undefined, user: string): SampleEvent {
    const old = entity.description;
    if (text === undefined) delete entity.description;
    else entity.description = text;
    return this.#event(entity, 'description', old, text, user);
  }

  setColumnDescription(entity: SampleEntity, column: string, text: string | undefined, user: string): SampleEvent {
    const found = this.#column(entity, column);
    const old = found.description;
    if (text === undefined) delete found.description;
    else found.description = text;
    return this.#event(entity, `columns.${column}.description`, old, text, user);
  }

  addTag(entity: SampleEntity, tagFQN: string, user: string): SampleEvent {
    const added = tag(tagFQN);
    entity.tags = [...entity.tags, added];
    return this.#event(entity, 'tags', undefined, JSON.stringify([added]), user);
  }

  setOwner(entity: SampleEntity, name: string, user: string): SampleEvent {
    const owner = { id: randomUUID(), type: 'user', name };
    entity.owners = [owner];
    return this.#event(entity, 'owners', undefined, JSON.stringify([owner]), user);
  }

  #column(entity: SampleEntity, name: string): SampleColumn {
    const found = entity.columns.find((column) => column.name === name);
    if (found === undefined) throw new Error(`the sample table has no column ${name}`);
    return found;
  }

  #event(
    entity: SampleEntity,
    field: string,
    old: string | undefined,
    value: string | undefined,
    user: string,
  ): SampleEvent {
    this.#now += 1_000;
    const previousVersion = entity.version;
    entity.version = Math.round((entity.version + 0.1) * 10) / 10;
    entity.updatedAt = this.#now;
    entity.updatedBy = user;
    const change: SampleChange = {
      name: field,
      ...(old === undefined ? {} : { oldValue: old }),
      ...(value === undefined ? {} : { newValue: value }),
    };
    const changeDescription = {
      fieldsAdded: old === undefined && value !== undefined ? [change] : [],
      fieldsUpdated: old !== undefined && value !== undefined ? [change] : [],
      fieldsDeleted: old !== undefined && value === undefined ? [change] : [],
      previousVersion,
    };
    const id = randomUUID();
    const fqn = formatFqn(entity.path);
    const body = JSON.stringify({
      id,
      eventType: 'entityUpdated',
      entityType: entity.entityType,
      entityId: entity.id,
      entityFullyQualifiedName: fqn,
      previousVersion: 0.1,
      currentVersion: entity.version,
      userName: user,
      timestamp: this.#now,
      changeDescription,
      entity: JSON.stringify({ ...snapshot(entity), changeDescription }),
    });
    return { id, fqn, body };
  }
}

function snapshot(entity: SampleEntity): Record<string, unknown> {
  const [service = '', database = '', schema] = entity.path;
  const reference = (type: string, path: readonly string[]) => ({
    id: randomUUID(),
    type,
    name: path.at(-1),
    fullyQualifiedName: formatFqn(path),
  });
  const fqn = formatFqn(entity.path);
  return {
    id: entity.id,
    name: entity.path.at(-1),
    fullyQualifiedName: fqn,
    ...(entity.description === undefined ? {} : { description: entity.description }),
    version: entity.version,
    updatedAt: entity.updatedAt,
    updatedBy: entity.updatedBy,
    ...(entity.tableType === undefined ? {} : { tableType: entity.tableType }),
    ...(entity.entityType === 'table'
      ? {
          columns: entity.columns.map((column) => ({
            ...column,
            fullyQualifiedName: formatFqn([...entity.path, column.name]),
            children: [],
          })),
        }
      : {}),
    owners: entity.owners,
    tags: entity.tags,
    ...(schema !== undefined && entity.entityType === 'table'
      ? { databaseSchema: reference('databaseSchema', [service, database, schema]) }
      : {}),
    ...(entity.entityType === 'database' ? {} : { database: reference('database', [service, database]) }),
    service: reference('databaseService', [service]),
    serviceType: entity.serviceType,
    deleted: false,
  };
}
