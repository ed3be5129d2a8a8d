import type { Level } from '../../src/domain/entity.ts';
import type { ObjectRef } from '../../src/domain/operation.ts';
import type { ConnectorError } from '../connector-error.ts';
import type { SourceObject } from '../contract.ts';
import type { Session } from '../postgres-wire/database-pools.ts';
import { missingObject } from '../postgres-wire/missing.ts';
import { type CatalogQuery, type CatalogRow, COLUMNS, NO_SCHEMA, PLACES, TABLES } from './catalog.ts';
import { connectorErrorOf } from './errors.ts';
import { askPrepared } from './prepared.ts';
import { TABLE_KINDS } from './spec.ts';

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

/** Each query serves these levels. */
const QUERIES: readonly (readonly [CatalogQuery, readonly Level[]])[] = [
  [PLACES, ['database', 'schema']],
  [TABLES, ['table']],
  [COLUMNS, ['column']],
];

/** An object with its place in what was asked for. */
interface Asked {
  readonly object: ObjectRef;
  readonly place: number;
}

/**
 * Present state of objects of the connected database, in the order asked; one round trip for tables, one for columns, one for the
 * rest. Throws `ConnectorError`.
 */
export async function readObjects(session: Session, objects: readonly ObjectRef[]): Promise<readonly SourceObject[]> {
  const answers: SourceObject[] = objects.map((object) => notFound(object, undefined));
  for (const [query, levels] of QUERIES) {
    const asked = objects.flatMap((object, place) =>
      // A name that cannot be sent cannot exist; sending it would break the batch, or find another object.
      levels.includes(object.level) && canBeSent(object) ? [{ object, place }] : [],
    );
    await ask(session, query, asked, answers);
  }
  return answers;
}

async function ask(
  session: Session,
  query: CatalogQuery,
  asked: readonly Asked[],
  answers: SourceObject[],
): Promise<void> {
  if (asked.length === 0) return;
  const lists = query.lists(asked.map(({ object }) => object));
  try {
    for (const row of await askPrepared<CatalogRow>(session, query, lists)) {
      const one = asked[Number(row.place) - 1];
      if (one !== undefined) answers[one.place] = toSource(one.object, row);
    }
  } catch (cause) {
    const error = connectorErrorOf(cause, 'statement');
    if (!isEncodingError(error)) throw error;
    // The server's encoding lacks a character of one name, so that object cannot exist there; find it by halves.
    if (asked.length === 1) return;
    const middle = Math.ceil(asked.length / 2);
    await ask(session, query, asked.slice(0, middle), answers);
    await ask(session, query, asked.slice(middle), answers);
  }
}

function isEncodingError(error: ConnectorError): boolean {
  return error.code === '22P05' || error.code === '22021';
}

function canBeSent(object: ObjectRef): boolean {
  const names = [object.schema, object.table, ...(object.column ?? [])];
  return names.every((name) => name === undefined || (name.isWellFormed() && !name.includes('\0')));
}

function toSource(object: ObjectRef, row: CatalogRow): SourceObject {
  const { kind, description, owner = null } = row;
  const inSchema = object.level === 'table' || object.level === 'column';
  const hasColumn = object.level !== 'column' || (row.has_column === true && object.column?.length === 1);
  if (kind === null || kind === NO_SCHEMA || !hasColumn) return notFound(object, row);
  if (!inSchema && kind !== object.level) return notFound(object, row);
  return {
    exists: true,
    kind: inSchema ? (KIND_OF_RELKIND[kind] ?? `relkind ${kind}`) : kind,
    ...(description === null || description === '' ? {} : { description }),
    ...(owner === null ? {} : { owner }),
  };
}

function notFound(object: ObjectRef, row: CatalogRow | undefined): SourceObject {
  if (object.level === 'schema' || row?.kind === NO_SCHEMA) return missingObject('schema-missing');
  if (object.level === 'table' || row?.kind === null) return missingObject('object-missing');
  return missingObject('column-missing');
}
