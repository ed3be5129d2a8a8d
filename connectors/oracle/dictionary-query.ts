import type { OracleBinds } from './port.ts';
import type { Session } from './session.ts';

/** An object that may exist: a schema's name and, except for schemas themselves, an object's; with its columns or without. */
export interface Address {
  readonly schema: string;
  readonly table: string;
  readonly columns: boolean;
}

/**
 * One query for everything that is known of these objects (at most some hundred at once). Rows: `WHAT` (schema, object, mview, external,
 * column, annotation), `OWNER`, `NAME`, `ITEM` (a column), `KIND` (kind of object or name of an annotation), `TEXT`.
 * Lists of addresses stand in the WHERE clauses, which the views can use, rather than in a join.
 */
export function dictionaryQuery(
  { views, annotations }: Pick<Session, 'views' | 'annotations'>,
  addresses: readonly Address[],
): { readonly sql: string; readonly binds: OracleBinds } {
  const all = padded(addresses);
  const wide = padded(addresses.filter(({ columns }) => columns));
  const pairs = pairsOf(all, 's', 't');
  const schemas = all.map((_, i) => `:s${i}`).join(', ');
  const branches = [
    `SELECT 'schema' AS WHAT, username AS OWNER, NULL AS NAME, NULL AS ITEM, NULL AS KIND, NULL AS TEXT FROM all_users WHERE username IN (${schemas})`,
    `SELECT 'object', owner, table_name, NULL, table_type, comments FROM ${views}_tab_comments WHERE (owner, table_name) IN (${pairs})`,
    `SELECT 'mview', owner, mview_name, NULL, NULL, comments FROM ${views}_mview_comments WHERE (owner, mview_name) IN (${pairs})`,
    `SELECT 'external', owner, table_name, NULL, NULL, NULL FROM ${views}_external_tables WHERE (owner, table_name) IN (${pairs})`,
  ];
  if (wide.length > 0) {
    branches.push(
      `SELECT 'column', owner, table_name, column_name, NULL, comments FROM ${views}_col_comments WHERE (owner, table_name) IN (${pairsOf(wide, 'cs', 'ct')})`,
    );
  }
  if (annotations) {
    // Those that come from a domain cannot be taken away from the object itself. Indexes have names of their own.
    branches.push(
      `SELECT 'annotation', annotation_owner, object_name, column_name, annotation_name, annotation_value FROM ${views}_annotations_usage WHERE (annotation_owner, object_name) IN (${pairs}) AND object_type <> 'INDEX' AND domain_name IS NULL`,
    );
  }
  return { sql: branches.join(' UNION ALL '), binds: { ...bindsOf(all, 's', 't'), ...bindsOf(wide, 'cs', 'ct') } };
}

function pairsOf(addresses: readonly Address[], schema: string, table: string): string {
  return addresses.map((_, i) => `(:${schema}${i}, :${table}${i})`).join(', ');
}

function bindsOf(addresses: readonly Address[], schema: string, table: string): OracleBinds {
  return Object.fromEntries(
    addresses.flatMap((address, i) => [
      [`${schema}${i}`, address.schema],
      [`${table}${i}`, address.table],
    ]),
  );
}

/** Few different lengths, so that the server keeps few different statements. */
function padded(addresses: readonly Address[]): readonly Address[] {
  const length = [1, 4, 16, 64].find((one) => one >= addresses.length) ?? addresses.length;
  const last = addresses.at(-1);
  if (last === undefined) return addresses;
  return [...addresses, ...Array.from({ length: length - addresses.length }, () => last)];
}
