import type { ConnectionPool } from 'mssql';
import { z } from 'zod';

const row = z.object({ kind: z.string(), names: z.string(), value: z.string().nullable() });

/** What a property, an owner or a definition is on, from the top, as a JSON list; then what stands there. */
const QUERY = `
WITH named AS (
  SELECT e.class, e.major_id, e.minor_id, e.name, CONVERT(nvarchar(3750), e.value) AS value,
         COALESCE(s.name, sc.name) AS schema_name, o.name AS object_name, c.name AS column_name
  FROM sys.extended_properties e
  LEFT JOIN sys.schemas sc ON e.class = 3 AND sc.schema_id = e.major_id
  LEFT JOIN sys.objects o ON e.class = 1 AND o.object_id = e.major_id
  LEFT JOIN sys.schemas s ON s.schema_id = o.schema_id
  LEFT JOIN sys.columns c ON e.class = 1 AND c.object_id = e.major_id AND c.column_id = e.minor_id AND e.minor_id > 0
)
SELECT 'property ' + name AS kind, (SELECT schema_name AS s, object_name AS o, column_name AS c FOR JSON PATH, WITHOUT_ARRAY_WRAPPER) AS names, value
FROM named
UNION ALL
SELECT 'owners', (SELECT s.name AS s, o.name AS o FOR JSON PATH, WITHOUT_ARRAY_WRAPPER), USER_NAME(o.principal_id)
FROM sys.objects o JOIN sys.schemas s ON s.schema_id = o.schema_id WHERE o.is_ms_shipped = 0
UNION ALL
SELECT 'owners', (SELECT s.name AS s FOR JSON PATH, WITHOUT_ARRAY_WRAPPER), USER_NAME(s.principal_id) FROM sys.schemas s
UNION ALL
SELECT 'owners', '{}', SUSER_SNAME(owner_sid) FROM sys.databases WHERE name = DB_NAME()
UNION ALL
SELECT 'definition', (SELECT s.name AS s, o.name AS o FOR JSON PATH, WITHOUT_ARRAY_WRAPPER),
       o.type + ' ' + (SELECT c.name AS name, c.system_type_id AS type, c.max_length AS size, c.is_nullable AS nullable
                       FROM sys.columns c WHERE c.object_id = o.object_id ORDER BY c.column_id FOR JSON PATH)
FROM sys.objects o JOIN sys.schemas s ON s.schema_id = o.schema_id WHERE o.is_ms_shipped = 0 AND o.type IN ('U', 'V')
UNION ALL
SELECT 'permissions', '{}', (SELECT class AS class, major_id AS major, minor_id AS minor, grantee_principal_id AS grantee, permission_name AS permission
                             FROM sys.database_permissions ORDER BY class, major_id, minor_id, grantee_principal_id, permission_name FOR JSON PATH)`;

const names = z.object({ s: z.string().optional(), o: z.string().optional(), c: z.string().optional() });

/** Everything in the database of a real server that the connector can change, in the form of `dumpMssql`. */
export async function dumpOwnServer(admin: ConnectionPool, database: string): Promise<Map<string, string>> {
  const { recordset } = await admin.request().query<unknown>(QUERY);
  const dump = new Map<string, string>();
  const tags = new Map<string, string[]>();
  for (const { kind, names: address, value } of z.array(row).parse(recordset)) {
    if (value === null) continue;
    const { s, o, c } = names.parse(JSON.parse(address));
    const path = JSON.stringify([database, ...[s, o, c].filter((name) => name !== undefined)]);
    if (kind === 'property MS_Description') dump.set(`description ${path}`, value);
    else if (kind.startsWith('property tag:')) {
      const lines = value.split('\n').map((one) => `${kind.slice('property tag:'.length)}=${one}`);
      tags.set(path, [...(tags.get(path) ?? []), ...lines]);
    } else dump.set(`${kind} ${path}`, value);
  }
  for (const [path, lines] of tags) dump.set(`tags ${path}`, lines.sort().join('\n'));
  return dump;
}
