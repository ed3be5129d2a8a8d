import {
  CLASS,
  type DatabaseModel,
  type LoginRow,
  type ObjectRow,
  type PrincipalRow,
  type SchemaRow,
} from './mssql-model.ts';

/** What a right is held on. */
export type Securable =
  | { readonly kind: 'database' }
  | { readonly kind: 'schema'; readonly schema: SchemaRow }
  | { readonly kind: 'object'; readonly object: ObjectRow };

/** Who asks, in one database. */
export class Rights {
  readonly #database: DatabaseModel;
  readonly #login: LoginRow;

  constructor(database: DatabaseModel, login: LoginRow) {
    this.#database = database;
    this.#login = login;
  }

  get isOwner(): boolean {
    return this.#login.name === 'sa' || this.#database.owner === this.#login.name;
  }

  /** Undefined: the login may not come in. */
  get user(): PrincipalRow | undefined {
    if (this.isOwner) return this.#database.findPrincipal('dbo');
    return this.#database.principals.find(({ login }) => login === this.#login.name);
  }

  /** The user, its roles with theirs, and public. */
  #identities(): ReadonlySet<number> {
    const ids = new Set([this.user?.id ?? -1, this.#database.principalNamed('public').id]);
    for (const id of ids) {
      for (const role of this.#database.principals.find((row) => row.id === id)?.memberOf ?? []) ids.add(role);
    }
    return ids;
  }

  /** Documented in "Permissions": ALTER and VIEW DEFINITION come down from the schema and the database, CONTROL holds everything. */
  can(permission: string, on: Securable): boolean {
    if (this.isOwner) return true;
    const ids = this.#identities();
    if (on.kind === 'object') {
      const schema = this.#database.schemas.find(({ id }) => id === on.object.schemaId);
      if (this.#stands('deny', ids, permission, CLASS.object, on.object.id)) return false;
      if (ids.has(on.object.ownerId ?? schema?.ownerId ?? -1)) return true;
      if (this.#granted(ids, permission, CLASS.object, on.object.id)) return true;
      const above = permission === 'TAKE OWNERSHIP' ? 'CONTROL' : permission;
      return schema !== undefined && this.can(above, { kind: 'schema', schema });
    }
    if (on.kind === 'schema') {
      if (this.#stands('deny', ids, permission, CLASS.schema, on.schema.id)) return false;
      if (ids.has(on.schema.ownerId) || this.#granted(ids, permission, CLASS.schema, on.schema.id)) return true;
      return permission === 'TAKE OWNERSHIP'
        ? this.can('CONTROL', { kind: 'database' })
        : this.can(permission, { kind: 'database' });
    }
    return this.#granted(ids, permission, CLASS.database, 0);
  }

  /** Metadata shows to who holds any right on the object or above it. */
  sees(object: ObjectRow): boolean {
    if (this.isOwner) return true;
    const ids = this.#identities();
    const own = this.#database.permissions.some(
      (row) => row.class === CLASS.object && row.majorId === object.id && ids.has(row.granteeId),
    );
    return (
      own || this.can('VIEW DEFINITION', { kind: 'object', object }) || this.can('ALTER', { kind: 'object', object })
    );
  }

  /** Being the principal, being in it, or being allowed to act as it. */
  mayGiveTo(principal: PrincipalRow): boolean {
    const ids = this.#identities();
    return this.isOwner || ids.has(principal.id) || principal.impersonators.has(this.user?.id ?? -1);
  }

  #granted(ids: ReadonlySet<number>, permission: string, securableClass: number, majorId: number): boolean {
    return this.#stands('grant', ids, permission, securableClass, majorId);
  }

  #stands(
    state: 'grant' | 'deny',
    ids: ReadonlySet<number>,
    permission: string,
    securableClass: number,
    majorId: number,
  ): boolean {
    return this.#database.permissions.some(
      (row) =>
        row.state === state &&
        row.class === securableClass &&
        row.majorId === majorId &&
        ids.has(row.granteeId) &&
        (row.permission === permission || row.permission === 'CONTROL'),
    );
  }
}
