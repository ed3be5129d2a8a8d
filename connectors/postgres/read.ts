import type { ObjectRef } from '../../src/domain/operation.ts';
import type { ConnectorError } from '../connector-error.ts';
import type { SourceObject } from '../contract.ts';
import type { Session } from '../postgres-wire/database-pools.ts';
import { missingObject } from '../postgres-wire/missing.ts';
import { connectorErrorOf } from './errors.ts';
import { TABLE_KINDS } from './spec.ts';

/**
 * One row per asked object of the connected database. Names are compared as `name` so that the catalog's indexes serve, and as
 * text so that a name above 63 bytes, which the cast cuts, does not find another object. Functions are named with their schema
 * here and in all our queries: others may create functions of the same name in schemas of the search path.
 */
const READ = `
SELECT asked.place,
       n.oid IS NOT NULL AS has_schema,
       c.relkind::text AS relkind,
       a.attnum IS NOT NULL AS has_column,
       CASE asked.level
         WHEN 'database' THEN pg_catalog.shobj_description(d.oid, 'pg_database')
         WHEN 'schema' THEN pg_catalog.obj_description(n.oid, 'pg_namespace')
         WHEN 'table' THEN pg_catalog.obj_description(c.oid, 'pg_class')
         ELSE pg_catalog.col_description(c.oid, a.attnum)
       END AS description,
       CASE asked.level
         WHEN 'database' THEN pg_catalog.pg_get_userbyid(d.datdba)
         WHEN 'schema' THEN pg_catalog.pg_get_userbyid(n.nspowner)
         WHEN 'table' THEN pg_catalog.pg_get_userbyid(c.relowner)
       END::text AS owner
FROM ROWS FROM (pg_catalog.unnest($1::int[]), pg_catalog.unnest($2::text[]), pg_catalog.unnest($3::text[]),
                pg_catalog.unnest($4::text[]), pg_catalog.unnest($5::text[]))
       AS asked (place, level, schema_name, table_name, column_name)
JOIN pg_catalog.pg_database d ON d.datname = pg_catalog.current_database()
LEFT JOIN pg_catalog.pg_namespace n
       ON n.nspname = asked.schema_name::name AND n.nspname::text = asked.schema_name
LEFT JOIN pg_catalog.pg_class c
       ON c.relnamespace = n.oid AND c.relname = asked.table_name::name AND c.relname::text = asked.table_name
LEFT JOIN pg_catalog.pg_attribute a
       ON a.attrelid = c.oid AND a.attname = asked.column_name::name AND a.attname::text = asked.column_name
      AND a.attnum > 0 AND NOT a.attisdropped`;

interface Row {
  readonly place: number;
  readonly has_schema: boolean;
  readonly relkind: string | null;
  readonly has_column: boolean;
  readonly description: string | null;
  readonly owner: string | null;
}

/** The first five by `relkind`, then what OpenMetadata does not call a table but can stand where one was. */
const KIND_OF_RELKIND: Readonly<Record<string, string>> = {
  r: TABLE_KINDS[0],
  p: TABLE_KINDS[1],
  v: TABLE_KINDS[2],
  m: TABLE_KINDS[3],
  f: TABLE_KINDS[4],
  S: 'sequence',
  i: 'index',
  I: 'partitioned index',
  c: 'composite type',
  t: 'TOAST table',
};

/** Present state of objects of the connected database, in the order asked; one round trip. Throws `ConnectorError`. */
export async function readObjects(session: Session, objects: readonly ObjectRef[]): Promise<readonly SourceObject[]> {
  const answers: SourceObject[] = objects.map((object) => notFound(object, undefined));
  // A name that cannot be sent cannot exist; sending it would break the batch, or find another object.
  const places = objects.flatMap((object, place) => (canBeSent(object) ? [place] : []));
  for (const [place, row] of await ask(session, objects, places)) {
    const object = objects[place];
    if (object !== undefined) answers[place] = toSource(object, row);
  }
  return answers;
}

async function ask(
  session: Session,
  objects: readonly ObjectRef[],
  places: readonly number[],
): Promise<ReadonlyMap<number, Row>> {
  if (places.length === 0) return new Map();
  const column = (value: (object: ObjectRef) => string | undefined) =>
    places.map((place) => (objects[place] === undefined ? null : (value(objects[place]) ?? null)));
  const values = [
    places,
    column((object) => object.level),
    column((object) => object.schema),
    column((object) => object.table),
    column((object) => object.column?.[0]),
  ];
  try {
    const { rows } = await session.query<Row>(READ, values);
    return new Map(rows.map((row) => [row.place, row]));
  } catch (cause) {
    const error = connectorErrorOf(cause, 'statement');
    if (!isEncodingError(error)) throw error;
    // The server's encoding lacks a character of one name, so that object cannot exist there; find it by halves.
    if (places.length === 1) return new Map();
    const middle = Math.ceil(places.length / 2);
    const left = await ask(session, objects, places.slice(0, middle));
    return new Map([...left, ...(await ask(session, objects, places.slice(middle)))]);
  }
}

function isEncodingError(error: ConnectorError): boolean {
  return error.code === '22P05' || error.code === '22021';
}

function canBeSent(object: ObjectRef): boolean {
  const names = [object.schema, object.table, ...(object.column ?? [])];
  return names.every((name) => name === undefined || (name.isWellFormed() && !name.includes('\0')));
}

function toSource(object: ObjectRef, row: Row): SourceObject {
  const found =
    object.level === 'database' ||
    (object.level === 'schema' && row.has_schema) ||
    (object.level === 'table' && row.relkind !== null) ||
    (object.level === 'column' && row.has_column && object.column?.length === 1);
  if (!found) return notFound(object, row);
  const kind = row.relkind === null ? object.level : (KIND_OF_RELKIND[row.relkind] ?? `relkind ${row.relkind}`);
  return {
    exists: true,
    kind,
    ...(row.description === null || row.description === '' ? {} : { description: row.description }),
    ...(row.owner === null ? {} : { owner: row.owner }),
  };
}

function notFound(object: ObjectRef, row: Row | undefined): SourceObject {
  if (object.level === 'schema' || row?.has_schema === false) return missingObject('schema-missing');
  if (object.level === 'table' || row?.relkind === null) return missingObject('object-missing');
  return missingObject('column-missing');
}
