import { z } from 'zod';
import type { ObjectRef, Tag } from '../../src/domain/operation.ts';
import type { SourceObject } from '../contract.ts';
import { tagsOfAnnotation } from './annotation.ts';
import type { OracleDetail } from './detail.ts';
import { type Address, dictionaryQuery } from './dictionary-query.ts';
import { dictionaryNames } from './names.ts';
import type { Session } from './session.ts';

const row = z.object({
  WHAT: z.string(),
  OWNER: z.string(),
  NAME: z.string().nullable(),
  ITEM: z.string().nullable(),
  KIND: z.string().nullable(),
  TEXT: z.string().nullable(),
});
type Row = z.infer<typeof row>;

/** Addresses in one query at the most. */
const ADDRESSES = 128;

/** Reads the present state of the objects, in the order asked; one query for up to 128 names. */
export async function readObjects(session: Session, objects: readonly ObjectRef[]): Promise<readonly SourceObject[]> {
  const addresses = new Map<string, Address>();
  for (const object of objects) {
    for (const address of addressesOf(object)) {
      const columns = address.columns || addresses.get(keyOf(address))?.columns === true;
      addresses.set(keyOf(address), { ...address, columns });
    }
  }
  const found = new Dictionary();
  const all = [...addresses.values()];
  for (let at = 0; at < all.length; at += ADDRESSES) {
    const { sql, binds } = dictionaryQuery(session, all.slice(at, at + ADDRESSES));
    found.add(await session.rows(sql, row, binds));
  }
  return objects.map((object) => sourceOf(object, session, found));
}

/** Every address that the names of the catalogue can mean. What no database can hold has none. */
function addressesOf({ level, schema, table }: ObjectRef): readonly Address[] {
  if (level === 'database' || schema === undefined || !canBeName(schema)) return [];
  if (table !== undefined && !canBeName(table)) return [];
  const schemas = dictionaryNames(schema);
  // A schema is looked up as the schema of a table that there is not.
  const tables = table === undefined ? [''] : dictionaryNames(table);
  const columns = level === 'column';
  return schemas.flatMap((one) => tables.map((other) => ({ schema: one, table: other, columns })));
}

function canBeName(name: string): boolean {
  return name.isWellFormed() && !/["\0]/.test(name);
}

function keyOf({ schema, table }: Omit<Address, 'columns'>): string {
  return JSON.stringify([schema, table]);
}

/** The rows of the dictionary by what they are about. */
class Dictionary {
  readonly schemas = new Set<string>();
  readonly #rows = new Map<string, Row[]>();

  add(rows: readonly Row[]): void {
    for (const one of rows) {
      if (one.WHAT === 'schema') this.schemas.add(one.OWNER);
      if (one.NAME === null) continue;
      const key = keyOf({ schema: one.OWNER, table: one.NAME });
      const known = this.#rows.get(key);
      if (known === undefined) this.#rows.set(key, [one]);
      else known.push(one);
    }
  }

  of(address: Omit<Address, 'columns'>): readonly Row[] {
    return this.#rows.get(keyOf(address)) ?? [];
  }
}

function sourceOf(object: ObjectRef, session: Session, found: Dictionary): SourceObject {
  const base = { charset: session.charset.name, annotations: session.annotations };
  const none = (detail: Partial<OracleDetail>): SourceObject => ({
    exists: false,
    detail: { ...base, names: [], ...detail } satisfies OracleDetail,
  });
  if (object.level === 'database') return { exists: true, kind: 'database', detail: { ...base, names: [] } };
  const schema = dictionaryNames(object.schema ?? '').findLast((name) => found.schemas.has(name));
  if (object.level === 'schema') {
    if (schema === undefined) return none({ missing: 'schema' });
    return { exists: true, kind: 'schema', detail: { ...base, names: [schema] }, owner: schema };
  }
  const matches = addressesOf(object).filter((address) => kindOf(found.of(address)) !== undefined);
  const [match, second] = matches;
  if (second !== undefined) return none({ ambiguous: matches.map(({ schema, table }) => `${schema}.${table}`) });
  if (match === undefined) return none({ missing: schema === undefined ? 'schema' : 'object' });
  const rows = found.of(match);
  const kind = kindOf(rows);
  const names = [match.schema, match.table];
  const about = object.level === 'column' ? columnOf(object, rows) : objectOf(rows);
  if (about === 'missing') return none({ missing: 'column' });
  if (about === 'ambiguous') return none({ ambiguous: dictionaryNames(object.column?.[0] ?? '').slice() });
  const tags = tagsOf(rows, about.ITEM);
  return {
    exists: true,
    ...(kind === undefined ? {} : { kind }),
    owner: match.schema,
    detail: { ...base, names: about.ITEM === null ? names : [...names, about.ITEM] } satisfies OracleDetail,
    ...(about.TEXT === null || about.TEXT === '' ? {} : { description: about.TEXT }),
    ...(session.annotations ? { tags } : {}),
  };
}

/** A materialized view also shows up as the table that holds its rows. */
function kindOf(rows: readonly Row[]): string | undefined {
  const has = (what: string): boolean => rows.some(({ WHAT }) => WHAT === what);
  const object = rows.find(({ WHAT }) => WHAT === 'object');
  if (has('mview')) return 'materialized view';
  if (object === undefined) return undefined;
  if (has('external')) return 'external table';
  return (object.KIND ?? 'table').toLowerCase();
}

function objectOf(rows: readonly Row[]): Pick<Row, 'ITEM' | 'TEXT'> {
  const own = rows.find(({ WHAT }) => WHAT === 'mview') ?? rows.find(({ WHAT }) => WHAT === 'object');
  return { ITEM: null, TEXT: own?.TEXT ?? null };
}

function columnOf(object: ObjectRef, rows: readonly Row[]): Pick<Row, 'ITEM' | 'TEXT'> | 'missing' | 'ambiguous' {
  const [name, ...nested] = object.column ?? [];
  if (name === undefined || nested.length > 0) return 'missing';
  const names = new Set(dictionaryNames(name));
  const [match, second] = rows.filter(({ WHAT, ITEM }) => WHAT === 'column' && ITEM !== null && names.has(ITEM));
  if (second !== undefined) return 'ambiguous';
  return match ?? 'missing';
}

function tagsOf(rows: readonly Row[], column: string | null): readonly Tag[] {
  return rows
    .filter(({ WHAT, ITEM }) => WHAT === 'annotation' && ITEM === column)
    .flatMap(({ KIND, TEXT }) => tagsOfAnnotation(KIND ?? '', TEXT));
}
