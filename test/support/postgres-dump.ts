import type pg from 'pg';
import type { Aspect } from '../../src/domain/entity.ts';
import type { ObjectRef } from '../../src/domain/operation.ts';

/** Rows: what it is, the address as names from the top, and the value. */
const ADDRESSED = `
SELECT 'description' AS what, ARRAY[n.nspname, c.relname, a.attname]::text[] AS names, d.description AS value
FROM pg_description d
JOIN pg_class c ON d.classoid = 'pg_class'::regclass AND c.oid = d.objoid
JOIN pg_namespace n ON n.oid = c.relnamespace
LEFT JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = d.objsubid AND d.objsubid > 0
WHERE c.oid >= 16384
UNION ALL
SELECT 'description', ARRAY[n.nspname]::text[], d.description
FROM pg_description d JOIN pg_namespace n ON d.classoid = 'pg_namespace'::regclass AND n.oid = d.objoid
UNION ALL
SELECT 'owners', ARRAY[n.nspname, c.relname]::text[], pg_get_userbyid(c.relowner)
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE c.oid >= 16384 AND c.relkind IN ('r', 'p', 'v', 'm', 'f', 'S', 'c')
UNION ALL
SELECT 'owners', ARRAY[n.nspname]::text[], pg_get_userbyid(n.nspowner) FROM pg_namespace n`;

/** The same for what all databases of the server share. */
const SHARED = `
SELECT 'description' AS what, ARRAY[b.datname]::text[] AS names, d.description AS value
FROM pg_shdescription d JOIN pg_database b ON d.classoid = 'pg_database'::regclass AND b.oid = d.objoid
UNION ALL
SELECT 'owners', ARRAY[b.datname]::text[], pg_get_userbyid(b.datdba) FROM pg_database b`;

/**
 * Comments on anything else, and whole catalog rows of everything that users make, so that no change of a definition can hide.
 * Left out is what a change of owner moves along (ACLs, the owners of a table's indexes, types and sequences) and statistics.
 */
const DEFINITIONS = `
SELECT 'comments' AS kind, pg_describe_object(d.classoid, d.objoid, d.objsubid) AS name, d.description AS value
FROM pg_description d
WHERE d.objoid >= 16384 AND d.classoid NOT IN ('pg_class'::regclass, 'pg_namespace'::regclass)
UNION ALL SELECT 'comments', pg_describe_object(d.classoid, d.objoid, 0), d.description
FROM pg_shdescription d WHERE d.classoid <> 'pg_database'::regclass
UNION ALL SELECT 'relations', c.oid::text, (to_jsonb(c) - '{relowner,relacl,relpages,reltuples,relallvisible,relallfrozen,relfrozenxid,relminmxid}'::text[])::text
FROM pg_class c WHERE c.oid >= 16384
UNION ALL SELECT 'columns', attrelid || ' ' || attnum, a::text FROM pg_attribute a WHERE attrelid >= 16384 AND attnum > 0
UNION ALL SELECT 'defaults', oid::text, pg_get_expr(adbin, adrelid) FROM pg_attrdef WHERE oid >= 16384
UNION ALL SELECT 'constraints', oid::text, pg_get_constraintdef(oid) FROM pg_constraint WHERE oid >= 16384
UNION ALL SELECT 'indexes', indexrelid::text, pg_get_indexdef(indexrelid) FROM pg_index WHERE indexrelid >= 16384
UNION ALL SELECT 'views', oid::text, pg_get_viewdef(oid) FROM pg_class WHERE relkind IN ('v', 'm') AND oid >= 16384
UNION ALL SELECT 'functions', oid::text, pg_get_functiondef(oid) || ' ' || proowner
FROM pg_proc WHERE oid >= 16384 AND prokind IN ('f', 'p')
UNION ALL SELECT 'triggers', oid::text, pg_get_triggerdef(oid) FROM pg_trigger WHERE oid >= 16384
UNION ALL SELECT 'event triggers', oid::text, evtname || ' ' || evtenabled::text FROM pg_event_trigger
UNION ALL SELECT 'schemas', oid::text, nspname::text FROM pg_namespace
UNION ALL SELECT 'types', oid::text, typname::text FROM pg_type WHERE oid >= 16384
UNION ALL SELECT 'databases', oid::text, datname::text FROM pg_database
UNION ALL SELECT 'roles', oid::text, (to_jsonb(r) - 'rolpassword')::text FROM pg_authid r
UNION ALL SELECT 'settings', setdatabase || ' ' || setrole, setconfig::text FROM pg_db_role_setting
UNION ALL SELECT 'members', roleid || ' ' || member, admin_option::text FROM pg_auth_members`;

/** One fingerprint for each kind of definition: whether one of them changed, not which. */
const FINGERPRINTS = `
SELECT kind, md5(string_agg(name || ' ' || coalesce(value, ''), E'\\n' ORDER BY name)) AS fingerprint
FROM (${DEFINITIONS}) AS definitions GROUP BY kind`;

function keyOf(database: string, what: string, names: readonly (string | null)[]): string {
  return `${what} ${JSON.stringify([database, ...names.filter((name) => name !== null)])}`;
}

/** The key of the dump under which the value of this aspect stands. */
export function postgresDumpKey(ref: ObjectRef, aspect: Aspect): string {
  const names = ref.level === 'database' ? [] : [ref.schema ?? null, ref.table ?? null, ...(ref.column ?? [])];
  return keyOf(ref.database, aspect, names);
}

/** All comments, owners and definitions of the connected databases and of the server, read by a superuser. */
export async function dumpPostgres(clients: ReadonlyMap<string, pg.Client>): Promise<Map<string, string>> {
  const dump = new Map<string, string>();
  for (const [database, client] of clients) {
    const addressed = await client.query<{ what: string; names: (string | null)[]; value: string }>({
      name: 'addressed',
      text: ADDRESSED,
    });
    for (const { what, names, value } of addressed.rows) dump.set(keyOf(database, what, names), value);
    const definitions = await client.query<{ kind: string; fingerprint: string }>({
      name: 'fingerprints',
      text: FINGERPRINTS,
    });
    for (const { kind, fingerprint } of definitions.rows)
      dump.set(`${kind} of ${JSON.stringify(database)}`, fingerprint);
    const shared = await client.query<{ what: string; names: [string]; value: string }>({
      name: 'shared',
      text: SHARED,
    });
    for (const { what, names, value } of shared.rows) dump.set(keyOf(names[0], what, []), value);
  }
  return dump;
}
