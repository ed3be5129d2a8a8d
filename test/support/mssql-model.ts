import { ServerFault } from './mssql-fault.ts';

/** `class` of `sys.extended_properties` and `sys.database_permissions`. */
export const CLASS = { database: 0, object: 1, schema: 3 } as const;

export interface SchemaRow {
  readonly id: number;
  readonly name: string;
  ownerId: number;
}

export interface ColumnRow {
  readonly id: number;
  readonly name: string;
}

export interface ObjectRow {
  readonly id: number;
  readonly schemaId: number;
  readonly name: string;
  /** `U` table, `V` view, `ET` external table, `SN` synonym. */
  readonly type: string;
  /** Null: whoever owns the schema. */
  ownerId: number | null;
  readonly columns: readonly ColumnRow[];
}

export interface PropertyRow {
  readonly class: number;
  readonly majorId: number;
  readonly minorId: number;
  readonly name: string;
  value: string;
}

export interface PermissionRow {
  readonly class: number;
  readonly majorId: number;
  readonly granteeId: number;
  readonly permission: string;
  readonly state: 'grant' | 'deny';
}

/** A user (of a login) or a role. */
export interface PrincipalRow {
  readonly id: number;
  readonly name: string;
  readonly login: string | undefined;
  readonly memberOf: Set<number>;
  /** Users that may act as this one. */
  readonly impersonators: Set<number>;
}

export interface ClassificationRow {
  readonly label?: string | undefined;
  readonly labelId?: string | undefined;
  readonly informationType?: string | undefined;
  readonly informationTypeId?: string | undefined;
  readonly rank?: string | undefined;
}

export interface LoginRow {
  readonly name: string;
  readonly password: string;
  readonly rights: Set<string>;
  /** Logins that may act as this one. */
  readonly impersonators: Set<string>;
}

const folded = new Map<string, string>();

/** Names are the same when they differ in case, in blanks at the end, or in characters beyond U+FFFF, which old collations ignore. */
export function fold(name: string): string {
  const known = folded.get(name);
  if (known !== undefined) return known;
  const plain = name
    .replace(/[\u{10000}-\u{10ffff}]/gu, '')
    .replace(/ +$/, '')
    .toLowerCase();
  if (folded.size > 20_000) folded.clear();
  folded.set(name, plain);
  return plain;
}

/** One database of the peer, with what can be written in it. */
export class DatabaseModel {
  readonly id: number;
  readonly name: string;
  /** A login. */
  owner: string;
  readOnly = false;
  readonly schemas: SchemaRow[] = [];
  readonly objects: ObjectRow[] = [];
  readonly principals: PrincipalRow[] = [];
  readonly properties = new Map<string, PropertyRow>();
  permissions: PermissionRow[] = [];
  readonly classifications = new Map<string, ClassificationRow>();
  /** Grows with every change of objects and their owners, so that views need not be made anew for each question. */
  version = 0;
  #nextObject = 1_000_000;
  readonly #objectsByName = new Map<string, ObjectRow>();
  readonly #objectsById = new Map<number, ObjectRow>();

  constructor(id: number, name: string, owner: string) {
    this.id = id;
    this.name = name;
    this.owner = owner;
    this.principal('dbo');
    this.principal('public');
    this.schema('dbo', 'dbo');
  }

  principal(name: string, login?: string): PrincipalRow {
    if (this.findPrincipal(name) !== undefined) throw new Error(`the principal ${name} exists`);
    const id = this.principals.length + 1;
    const row: PrincipalRow = { id, name, login, memberOf: new Set(), impersonators: new Set() };
    this.principals.push(row);
    return row;
  }

  schema(name: string, owner: string): SchemaRow {
    if (this.findSchema(name) !== undefined) throw new Error(`the schema ${name} exists`);
    const row = { id: this.schemas.length + 5, name, ownerId: this.principalNamed(owner).id };
    this.schemas.push(row);
    return row;
  }

  object(schema: string, name: string, type: string, columns: readonly string[]): ObjectRow {
    const schemaId = this.findSchema(schema)?.id;
    if (schemaId === undefined || this.findObject(schemaId, name) !== undefined) throw new Error(`${schema}.${name}`);
    this.#nextObject += 1;
    const numbered = columns.map((column, index) => ({ id: index + 1, name: column }));
    const row: ObjectRow = { id: this.#nextObject, schemaId, name, type, ownerId: null, columns: numbered };
    this.objects.push(row);
    this.version += 1;
    this.#objectsByName.set(`${schemaId} ${fold(name)}`, row);
    this.#objectsById.set(row.id, row);
    return row;
  }

  drop(object: ObjectRow): void {
    this.version += 1;
    this.objects.splice(this.objects.indexOf(object), 1);
    this.#objectsByName.delete(`${object.schemaId} ${fold(object.name)}`);
    this.#objectsById.delete(object.id);
    for (const [key, row] of this.properties) {
      if (row.class === CLASS.object && row.majorId === object.id) this.properties.delete(key);
    }
  }

  grant(permission: string, grantee: string, on: Pick<PermissionRow, 'class' | 'majorId'>): void {
    this.permissions.push({ ...on, granteeId: this.principalNamed(grantee).id, permission, state: 'grant' });
  }

  deny(permission: string, grantee: string, on: Pick<PermissionRow, 'class' | 'majorId'>): void {
    this.permissions.push({ ...on, granteeId: this.principalNamed(grantee).id, permission, state: 'deny' });
  }

  findSchema(name: string): SchemaRow | undefined {
    return this.schemas.find((row) => fold(row.name) === fold(name));
  }

  findObject(schemaId: number, name: string): ObjectRow | undefined {
    return this.#objectsByName.get(`${schemaId} ${fold(name)}`);
  }

  objectById(id: number): ObjectRow | undefined {
    return this.#objectsById.get(id);
  }

  findPrincipal(name: string): PrincipalRow | undefined {
    return this.principals.find((row) => fold(row.name) === fold(name));
  }

  principalNamed(name: string): PrincipalRow {
    const found = this.findPrincipal(name);
    if (found === undefined) throw new Error(`no principal ${name}`);
    return found;
  }

  principalName(id: number | null): string | null {
    return this.principals.find((row) => row.id === id)?.name ?? null;
  }
}

/** The whole server: logins and databases. */
export class ServerModel {
  readonly logins = new Map<string, LoginRow>();
  readonly databases: DatabaseModel[] = [];

  constructor() {
    this.login('sa', 'sa');
    for (const name of ['master', 'tempdb', 'model', 'msdb']) this.database(name, 'sa');
  }

  login(name: string, password: string, rights: readonly string[] = []): LoginRow {
    const row = { name, password, rights: new Set(rights), impersonators: new Set<string>() };
    this.logins.set(name, row);
    return row;
  }

  database(name: string, owner: string): DatabaseModel {
    const database = new DatabaseModel(this.databases.length + 1, name, owner);
    this.databases.push(database);
    return database;
  }

  find(name: string): DatabaseModel | undefined {
    return this.databases.find((one) => fold(one.name) === fold(name));
  }

  named(name: string): DatabaseModel {
    const found = this.find(name);
    if (found === undefined) throw new ServerFault(911, `Database '${name}' does not exist.`);
    return found;
  }
}
