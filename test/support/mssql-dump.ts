import type { Aspect } from '../../src/domain/entity.ts';
import type { ObjectRef } from '../../src/domain/operation.ts';
import { CLASS, type DatabaseModel, type ServerModel } from './mssql-model.ts';

function keyOf(what: string, names: readonly string[]): string {
  return `${what} ${JSON.stringify(names)}`;
}

/** The key of the dump under which the value of this aspect stands. */
export function mssqlDumpKey(ref: ObjectRef, aspect: Aspect): string {
  const names = [ref.database, ref.schema, ref.table, ...(ref.column ?? [])].filter((name) => name !== undefined);
  return keyOf(aspect, names);
}

/** Everything in the model that a statement can change, read without the protocol. */
export function dumpMssql(server: ServerModel): Map<string, string> {
  const dump = new Map<string, string>();
  for (const database of server.databases) dumpDatabase(database, dump);
  return dump;
}

function dumpDatabase(database: DatabaseModel, dump: Map<string, string>): void {
  dump.set(keyOf('owners', [database.name]), database.owner);
  for (const schema of database.schemas) {
    dump.set(keyOf('owners', [database.name, schema.name]), database.principalName(schema.ownerId) ?? '');
  }
  for (const object of database.objects) {
    const names = addressOf(database, CLASS.object, object.id, 0);
    dump.set(keyOf('definition', names), JSON.stringify([object.type, object.columns]));
    const owner = database.principalName(object.ownerId);
    if (owner !== null) dump.set(keyOf('owners', names), owner);
  }
  const tags = new Map<string, string[]>();
  for (const row of database.properties.values()) {
    const names = addressOf(database, row.class, row.majorId, row.minorId);
    if (row.name === 'MS_Description') dump.set(keyOf('description', names), row.value);
    else if (row.name.startsWith('tag:')) {
      const key = keyOf('tags', names);
      const lines = row.value.split('\n').map((value) => `${row.name.slice(4)}=${value}`);
      tags.set(key, [...(tags.get(key) ?? []), ...lines]);
    } else dump.set(keyOf(`property ${row.name}`, names), row.value);
  }
  for (const [key, lines] of tags) dump.set(key, lines.sort().join('\n'));
  for (const [key, row] of database.classifications) {
    const [major = 0, minor = 0] = key.split(' ').map(Number);
    dump.set(keyOf('classification', addressOf(database, CLASS.object, major, minor)), JSON.stringify(row));
  }
  dump.set(keyOf('permissions', [database.name]), JSON.stringify(database.permissions));
  dump.set(
    keyOf('principals', [database.name]),
    database.principals.map(({ id, name, memberOf }) => `${id} ${name} ${[...memberOf]}`).join('\n'),
  );
}

function addressOf(database: DatabaseModel, of: number, majorId: number, minorId: number): readonly string[] {
  if (of === CLASS.database) return [database.name];
  if (of === CLASS.schema) return [database.name, database.schemas.find(({ id }) => id === majorId)?.name ?? '?'];
  const object = database.objectById(majorId);
  const schema = database.schemas.find(({ id }) => id === object?.schemaId);
  const column = object?.columns.find(({ id }) => id === minorId)?.name;
  return [database.name, schema?.name ?? '?', object?.name ?? '?', ...(column === undefined ? [] : [column])];
}
