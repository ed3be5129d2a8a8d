import { ServerFault } from './mssql-fault.ts';
import { CLASS, type DatabaseModel, fold, type ObjectRow, type PropertyRow } from './mssql-model.ts';
import type { Rights, Securable } from './mssql-rights.ts';

/** What an extended property stands on. */
export interface PropertyTarget {
  readonly class: number;
  readonly majorId: number;
  readonly minorId: number;
}

/** Arguments of the procedures, by name without `@`; null and absent are the same to them. */
export type Arguments = ReadonlyMap<string, string>;

const KNOWN = ['name', 'value', 'level0type', 'level0name', 'level1type', 'level1name', 'level2type', 'level2name'];
const TYPES: Readonly<Record<string, readonly string[]>> = { table: ['U', 'ET'], view: ['V'] };
const VALUE_BYTES = 7500;

/** Cuts as the procedures' parameters do: `sysname` holds 128 units, and a longer variable loses the rest without a word. */
function asName(text: string | undefined): string | undefined {
  return text?.slice(0, 128);
}

/** The object that the levels name, when the session may write properties there; 15135 for all the ways in which it may not. */
export function propertyTarget(database: DatabaseModel, rights: Rights, args: Arguments): PropertyTarget {
  const level = (number: number) => {
    const [type, name] = [args.get(`level${number}type`)?.toLowerCase(), asName(args.get(`level${number}name`))];
    if ((type === undefined) !== (name === undefined)) throw invalid();
    return type === undefined || name === undefined ? undefined : { type, name };
  };
  const [schemaLevel, objectLevel, columnLevel] = [level(0), level(1), level(2)];
  if (schemaLevel === undefined) {
    if (objectLevel !== undefined || columnLevel !== undefined) throw invalid();
    demand(rights, { kind: 'database' });
    return { class: CLASS.database, majorId: 0, minorId: 0 };
  }
  if (schemaLevel.type !== 'schema') throw invalid();
  const schema = database.findSchema(schemaLevel.name);
  if (schema === undefined) throw notThere();
  if (objectLevel === undefined) {
    if (columnLevel !== undefined) throw invalid();
    demand(rights, { kind: 'schema', schema });
    return { class: CLASS.schema, majorId: schema.id, minorId: 0 };
  }
  const types = TYPES[objectLevel.type];
  if (types === undefined) throw invalid();
  const object = database.findObject(schema.id, objectLevel.name);
  if (object === undefined || !types.includes(object.type)) throw notThere();
  demand(rights, { kind: 'object', object });
  const target = { class: CLASS.object, majorId: object.id };
  if (columnLevel === undefined) return { ...target, minorId: 0 };
  if (columnLevel.type !== 'column') throw invalid();
  return { ...target, minorId: columnId(object, columnLevel.name) };
}

function columnId(object: ObjectRow, name: string): number {
  const column = object.columns.find((one) => fold(one.name) === fold(name));
  if (column === undefined) throw notThere();
  return column.id;
}

function demand(rights: Rights, on: Securable): void {
  if (!rights.can('ALTER', on)) throw notThere();
}

/** Runs one of the three procedures; the answer undoes it. */
export function callProperty(
  procedure: string,
  database: DatabaseModel,
  target: PropertyTarget,
  args: Arguments,
): () => void {
  const name = asName(args.get('name'));
  if (name === undefined || name === '') throw invalid();
  const key = JSON.stringify([target.class, target.majorId, target.minorId, fold(name)]);
  const present = database.properties.get(key);
  const undo = () => {
    if (present === undefined) database.properties.delete(key);
    else database.properties.set(key, present);
  };
  if (procedure === 'sys.sp_addextendedproperty') {
    if (present !== undefined)
      throw new ServerFault(15233, `Property cannot be added. Property '${name}' already exists.`);
    database.properties.set(key, { ...target, name, value: propertyValueOf(args) });
  } else {
    if (present === undefined) {
      throw new ServerFault(15217, `Property cannot be updated or deleted. Property '${name}' does not exist.`);
    }
    if (procedure === 'sys.sp_dropextendedproperty') database.properties.delete(key);
    else database.properties.set(key, { ...present, value: propertyValueOf(args) } satisfies PropertyRow);
  }
  return undo;
}

function propertyValueOf(args: Arguments): string {
  const value = args.get('value') ?? '';
  if (2 * value.length > VALUE_BYTES) {
    throw new ServerFault(15097, 'The size associated with an extended property cannot be more than 7,500 bytes.');
  }
  return value;
}

/** Error 8145 for an argument that the procedures do not have, 15600 for a value that they do not take. */
export function checkArguments(procedure: string, names: readonly string[]): void {
  for (const name of names) {
    const unknown = !KNOWN.includes(name) || (name === 'value' && procedure === 'sys.sp_dropextendedproperty');
    if (unknown || names.indexOf(name) !== names.lastIndexOf(name)) {
      throw new ServerFault(8145, `@${name} is not a parameter for procedure ${procedure}.`);
    }
  }
}

function invalid(): ServerFault {
  return new ServerFault(15600, 'An invalid parameter or option was specified.');
}

function notThere(): ServerFault {
  return new ServerFault(
    15135,
    'Object is invalid. Extended properties are not permitted on it, or the object does not exist.',
  );
}
