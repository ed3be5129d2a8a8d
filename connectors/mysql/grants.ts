import { tokenize, unquoteName } from './tokens.ts';

/** Privileges that SHOW GRANTS lists for one place: everything, one database (a pattern with % and _), or one table. */
export interface Grant {
  readonly privileges: ReadonlySet<string>;
  readonly database?: string;
  readonly table?: string;
}

/** Reads one line of SHOW GRANTS; undefined for lines that give no privilege on databases or tables (roles, proxies). */
export function parseGrant(line: string): Grant | undefined {
  const tokens = tokenize(line);
  if (!tokens.ok) return undefined;
  const solid = tokens.value.filter(({ kind, depth }) => kind !== 'space' && depth === 0);
  const texts = solid.map(({ start, end }) => line.slice(start, end));
  const on = texts.indexOf('ON');
  if (texts[0] !== 'GRANT' || on < 0) return undefined;
  const privileges = new Set(
    texts
      .slice(1, on)
      .join(' ')
      .split(',')
      .map((privilege) => privilege.trim().toUpperCase()),
  );
  const place = texts.slice(on + 1, texts.indexOf('TO')).join('');
  if (place === '*.*') return { privileges };
  const names = /^(`(?:[^`]|``)*`)\.(\*|`(?:[^`]|``)*`)$/s.exec(place);
  const [, database, table] = names ?? [];
  if (database === undefined || table === undefined) return undefined;
  return { privileges, database: unquoteName(database), ...(table === '*' ? {} : { table: unquoteName(table) }) };
}

/** Whether the grants give a privilege on a database, or on one of its tables. */
export function isGranted(
  grants: readonly Grant[],
  privilege: string,
  database: string,
  table: string | undefined,
): boolean {
  return grants.some((grant) => {
    if (!grant.privileges.has(privilege) && !/^ALL( PRIVILEGES)?$/m.test([...grant.privileges].join('\n')))
      return false;
    if (grant.database === undefined) return true;
    if (grant.table !== undefined) return grant.database === database && grant.table === table;
    return patternOf(grant.database).test(database);
  });
}

/** The name of a database in a grant is a pattern: `_` and `%` are wild unless a backslash stands before them. */
function patternOf(name: string): RegExp {
  const source = name.replaceAll(/\\[_%\\]|[_%]|[\\^$.*+?()[\]{}|/]/g, (part) => {
    if (part === '_') return '.';
    if (part === '%') return '.*';
    return part.length === 2 ? part.slice(1).replace('\\', '\\\\') : `\\${part}`;
  });
  return new RegExp(`^${source}$`, 'su');
}

/** The name as GRANT takes it for a whole database: quoted, with its wild characters made plain. */
export function grantPattern(database: string): string {
  return `\`${database.replaceAll('`', '``').replaceAll(/[_%]/g, (wild) => `\\${wild}`)}\``;
}
