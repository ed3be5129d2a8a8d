import { OracleFault } from './oracle-fault.ts';
import type { AnnotationChange, OracleStatement } from './oracle-syntax.ts';

export type OracleKind = 'TABLE' | 'VIEW' | 'MATERIALIZED VIEW' | 'EXTERNAL TABLE';

export interface OracleUser {
  readonly name: string;
  password: string;
  /** System privileges and roles. */
  readonly rights: Set<string>;
}

interface Annotated {
  comment: string | undefined;
  readonly annotations: Map<string, string | undefined>;
}

export interface OracleObject extends Annotated {
  readonly schema: string;
  readonly name: string;
  readonly kind: OracleKind;
  readonly columns: ReadonlyMap<string, Annotated>;
  /** Object privileges: `user privilege`. */
  readonly grants: Set<string>;
  readonly rows: (readonly string[])[];
}

export interface OracleModelOptions {
  readonly version?: string;
  readonly charset?: 'AL32UTF8' | 'WE8ISO8859P1';
  readonly annotations?: boolean;
  /** `PRIMARY` or `PHYSICAL STANDBY`. */
  readonly role?: string;
}

/**
 * The state of a database and what DDL does to it: names exactly as quoted, the empty text is none, privileges decide what is seen and
 * what may be changed, and the engine's numbers for everything that goes wrong. Knows nothing of sessions.
 */
export class OracleModel {
  readonly version: string;
  readonly charset: 'AL32UTF8' | 'WE8ISO8859P1';
  readonly hasAnnotations: boolean;
  role: string;
  readonly users = new Map<string, OracleUser>();
  readonly #objects = new Map<string, OracleObject>();

  constructor(options: OracleModelOptions = {}) {
    this.version = options.version ?? '23.4.0.24.5';
    this.charset = options.charset ?? 'AL32UTF8';
    this.hasAnnotations = options.annotations ?? true;
    this.role = options.role ?? 'PRIMARY';
  }

  /** What the server makes of a text that a client sends: characters that its character set does not hold are replaced. */
  convert(text: string): string {
    return this.charset === 'AL32UTF8' ? text : [...text].map((one) => (one <= '\u00ff' ? one : '¿')).join('');
  }

  bytes(text: string): number {
    return this.charset === 'AL32UTF8' ? Buffer.byteLength(text, 'utf8') : text.length;
  }

  addUser(name: string, password: string, rights: readonly string[] = []): void {
    this.users.set(name, { name, password, rights: new Set(rights) });
  }

  addObject(schema: string, name: string, kind: OracleKind, columns: readonly string[]): OracleObject {
    const object: OracleObject = {
      schema,
      name,
      kind,
      comment: kind === 'MATERIALIZED VIEW' ? `snapshot table for snapshot ${schema}.${name}` : undefined,
      annotations: new Map(),
      columns: new Map(columns.map((column) => [column, { comment: undefined, annotations: new Map() }])),
      grants: new Set(),
      rows: [],
    };
    this.#objects.set(keyOf(schema, name), object);
    return object;
  }

  dropObject(schema: string, name: string): void {
    this.#objects.delete(keyOf(schema, name));
  }

  objects(): readonly OracleObject[] {
    return [...this.#objects.values()];
  }

  object(schema: string, name: string): OracleObject | undefined {
    return this.#objects.get(keyOf(schema, name));
  }

  has(user: string, right: string): boolean {
    return this.users.get(user)?.rights.has(right) === true;
  }

  /** What the views that begin with ALL show. */
  sees(user: string, object: OracleObject): boolean {
    if (object.schema === user || this.has(user, 'SELECT ANY TABLE')) return true;
    return [...object.grants].some((grant) => grant.startsWith(`${user} `));
  }

  comment(user: string, { on, names, text }: Extract<OracleStatement, { kind: 'comment' }>): void {
    const column = on === 'COLUMN' ? names.at(-1) : undefined;
    const object = this.#addressed(user, column === undefined ? names : names.slice(0, -1), on);
    const allowed = object.schema === user || (this.has(user, 'COMMENT ANY TABLE') && object.schema !== 'SYS');
    if (!allowed) throw refused(this.sees(user, object), on);
    const part = column === undefined ? object : object.columns.get(column);
    if (part === undefined) throw new OracleFault(904, `"${column}": invalid identifier`);
    if (on === 'TABLE' && object.kind === 'MATERIALIZED VIEW') {
      throw new OracleFault(12098, 'cannot comment on the materialized view');
    }
    if (on === 'MATERIALIZED VIEW' && object.kind !== 'MATERIALIZED VIEW') throw missing(on);
    part.comment = text === '' ? undefined : text;
  }

  annotate(user: string, { on, names, column, changes }: Extract<OracleStatement, { kind: 'annotate' }>): void {
    if (!this.hasAnnotations) throw new OracleFault(1735, 'invalid ALTER TABLE option');
    const object = this.#addressed(user, names, on);
    const any = on === 'MATERIALIZED VIEW' ? 'ALTER ANY MATERIALIZED VIEW' : 'ALTER ANY TABLE';
    const granted = on === 'TABLE' && object.grants.has(`${user} ALTER`);
    const allowed = object.schema === user || granted || (this.has(user, any) && object.schema !== 'SYS');
    if (!allowed) throw refused(this.sees(user, object), on);
    if (object.kind !== on) throw missing(on);
    const part = column === undefined ? object : object.columns.get(column);
    if (part === undefined) throw new OracleFault(904, `"${column}": invalid identifier`);
    const after = new Map(part.annotations);
    for (const change of changes) applyChange(after, change, column !== undefined);
    part.annotations.clear();
    for (const [name, value] of after) part.annotations.set(name, value);
  }

  insertTarget(user: string, names: readonly string[], values: readonly string[]): OracleObject {
    const object = this.#addressed(user, names, 'TABLE');
    if (object.schema !== user && !object.grants.has(`${user} INSERT`)) throw refused(this.sees(user, object), 'TABLE');
    if (values.length > object.columns.size) throw new OracleFault(913, 'too many values');
    if (values.length < object.columns.size) throw new OracleFault(947, 'not enough values');
    return object;
  }

  #addressed(user: string, names: readonly string[], on: string): OracleObject {
    const [schema, name] = names.length === 1 ? [user, names[0]] : names;
    const object = this.object(schema ?? '', name ?? '');
    if (object === undefined) throw missing(on);
    return object;
  }
}

function applyChange(annotations: Map<string, string | undefined>, change: AnnotationChange, ofColumn: boolean): void {
  const { action, name, value } = change;
  const exists = annotations.has(name);
  if (exists && action === 'add') throw new OracleFault(ofColumn ? 11560 : 11552, `Annotation ${name} already exists`);
  if (!exists && (action === 'drop' || action === 'replace')) {
    throw new OracleFault(ofColumn ? 11561 : 11553, `Annotation ${name} does not exist`);
  }
  if (action.startsWith('drop')) annotations.delete(name);
  else if (!(exists && action === 'add if not exists')) annotations.set(name, value);
}

function missing(on: string): OracleFault {
  if (on === 'MATERIALIZED VIEW') return new OracleFault(12003, 'materialized view does not exist');
  return new OracleFault(942, 'table or view does not exist');
}

/** What one may not see does not exist. */
function refused(seen: boolean, on: string): OracleFault {
  return seen ? new OracleFault(1031, 'insufficient privileges') : missing(on);
}

function keyOf(schema: string, name: string): string {
  return JSON.stringify([schema, name]);
}
