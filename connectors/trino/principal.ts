/** A user or a role of Trino. */
export interface Principal {
  readonly kind: 'USER' | 'ROLE';
  readonly name: string;
}

/** `role:finance` is a role; `user:ada` and plain `ada` are a user. */
export function parsePrincipal(text: string): Principal {
  if (text.startsWith('role:')) return { kind: 'ROLE', name: text.slice(5) };
  return { kind: 'USER', name: text.startsWith('user:') ? text.slice(5) : text };
}

/** The inverse, in the shortest form that is read back as the same. */
export function formatPrincipal({ kind, name }: Principal): string {
  if (kind === 'ROLE') return `role:${name}`;
  return /^(role|user):/.test(name) ? `user:${name}` : name;
}

/** The owner in what `SHOW CREATE SCHEMA` answers; undefined: it names none. */
export function ownerIn(createSchema: string): Principal | undefined {
  const [, kind, quoted, plain] = /\nAUTHORIZATION (USER|ROLE) (?:"((?:[^"]|"")*)"|([^\s"]+))/.exec(createSchema) ?? [];
  const name = quoted?.replaceAll('""', '"') ?? plain;
  if (name === undefined) return undefined;
  return { kind: kind === 'ROLE' ? 'ROLE' : 'USER', name };
}
