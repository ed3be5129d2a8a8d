import { redshiftDialect } from '../dialect/redshift-dialect.ts';

/** Whether a name can stand in a query at all; one that cannot names nothing. */
export function canBeAsked(name: string | undefined): boolean {
  return name === undefined || redshiftDialect.quoteLiteral(name).ok;
}

/** A literal for our own queries: Redshift takes neither arrays as parameters nor functions that unfold them. */
export function literal(text: string): string {
  const quoted = redshiftDialect.quoteLiteral(text);
  if (!quoted.ok) throw new Error(`a name that cannot be asked for was let through: ${quoted.error.code}`);
  return quoted.value;
}

/** `IN (…)` of these texts, each once. */
export function inList(texts: Iterable<string>): string {
  return `IN (${[...new Set(texts)].map(literal).join(', ')})`;
}

/**
 * A condition that is true of exactly these paths of names (all of one length): `(a = 'x' AND b IN ('y', 'z')) OR …`.
 * `columns` name the columns for the parts of a path, from the top.
 */
export function pathsCondition(columns: readonly string[], paths: readonly (readonly string[])[]): string {
  const [column = '', ...more] = columns;
  if (more.length === 0) return `${column} ${inList(paths.map(([name = '']) => name))}`;
  const below = new Map<string, (readonly string[])[]>();
  for (const [name = '', ...rest] of paths) {
    const group = below.get(name) ?? [];
    group.push(rest);
    below.set(name, group);
  }
  return [...below]
    .map(([name, rest]) => `(${column} = ${literal(name)} AND (${pathsCondition(more, rest)}))`)
    .join(' OR ');
}
