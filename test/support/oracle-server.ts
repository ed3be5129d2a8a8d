import type { LinkOptions, OracleAnswer, OracleBinds, OracleDriver, OracleLink } from '../../connectors/oracle/port.ts';
import { OracleDictionary } from './oracle-dictionary.ts';
import { DriverFault, OracleFault } from './oracle-fault.ts';
import { OracleModel, type OracleModelOptions, type OracleObject } from './oracle-model.ts';
import { type OracleStatement, parseOracle } from './oracle-syntax.ts';

interface Session {
  readonly sid: number;
  readonly serial: number;
  readonly user: string;
  readonly program: string;
  alive: boolean;
  /** Rows that wait for a commit. */
  pending: { readonly object: OracleObject; readonly values: readonly string[] }[];
  readonly settings: Map<string, string>;
  /** Ends the call under way when the session is killed. */
  abort: ((error: Error) => void) | undefined;
}

/** The trailing comment that leads back to a trace. */
const TRACE = /\s\/\*traceparent='[0-9a-f-]+'\*\/$/;

/**
 * Sessions over a model of a database, behind the connector's port to its driver: logins, implicit commits, locks, kills, and a journal
 * of what was run. Stands at one connect string; everything else goes to the driver given.
 */
export class OracleServer {
  readonly model: OracleModel;
  readonly connectString: string;
  readonly driver: OracleDriver;
  readonly #dictionary: OracleDictionary;
  readonly #sessions: Session[] = [];
  readonly #held = new Map<OracleObject, Set<() => void>>();
  #journal: string[] = [];
  /** How long DDL waits for a lock per second of DDL_LOCK_TIMEOUT. */
  lockSecondMs = 1_000;
  /** Everything that was sent, SELECTs included, with the name of its session. */
  readonly log: { readonly program: string; readonly sql: string }[] = [];

  constructor(connectString: string, elsewhere: OracleDriver, options: OracleModelOptions = {}) {
    this.model = new OracleModel(options);
    this.connectString = connectString;
    this.#dictionary = new OracleDictionary(this.model, () => this.#sessions.filter(({ alive }) => alive));
    this.driver = {
      connect: (login) => (login.connectString === connectString ? this.#connect(login) : elsewhere.connect(login)),
    };
  }

  /** Writing statements since the last call, without the trace comment. */
  executed(): readonly string[] {
    const journal = this.#journal;
    this.#journal = [];
    return journal;
  }

  /** Cuts every session; each notices at its next call. */
  killAll(): void {
    for (const session of this.#sessions) kill(session);
  }

  programs(): readonly string[] {
    return this.#sessions.filter(({ alive }) => alive).map(({ program }) => program);
  }

  /** Makes DDL on the object wait until the returned function is called. */
  hold(schema: string, name: string): () => void {
    const object = this.model.object(schema, name);
    if (object === undefined) throw new Error(`no such object: ${schema}.${name}`);
    const waiting = new Set<() => void>();
    this.#held.set(object, waiting);
    return () => {
      this.#held.delete(object);
      for (const go of waiting) go();
    };
  }

  async #connect({ user: login, password, program }: LinkOptions): Promise<OracleLink> {
    const user = this.model.users.get(login.toUpperCase());
    if (user === undefined || user.password !== password)
      throw new OracleFault(1017, 'invalid credential or not authorized; logon denied');
    if (!user.rights.has('CREATE SESSION'))
      throw new OracleFault(1045, 'user lacks CREATE SESSION privilege; logon denied');
    const sid = this.#sessions.length + 1;
    const session: Session = {
      sid,
      serial: sid * 7,
      user: user.name,
      program,
      alive: true,
      pending: [],
      settings: new Map(),
      abort: undefined,
    };
    this.#sessions.push(session);
    let noticed = false;
    return {
      version: this.model.version,
      get usable() {
        return !noticed;
      },
      execute: async (sql, binds = {}) => {
        try {
          return await this.#execute(session, sql, binds);
        } catch (error) {
          if (error instanceof DriverFault) noticed = true;
          throw error;
        }
      },
      async close() {
        noticed = true;
        kill(session);
      },
    };
  }

  async #execute(session: Session, sql: string, binds: OracleBinds): Promise<OracleAnswer> {
    // Never in the same turn, as over a network.
    await new Promise((resolve) => setImmediate(resolve));
    if (!session.alive) throw gone();
    this.log.push({ program: session.program, sql });
    const statement = parseOracle(this.model.convert(sql), (text) => this.model.bytes(text));
    if (statement.kind === 'select') return this.#select(session, sql, statement, binds);
    if (Object.keys(binds).length > 0)
      throw new OracleFault(1027, 'bind variables not allowed for data definition operations');
    if (statement.kind === 'alter session') {
      for (const [name, value] of statement.settings) session.settings.set(name, value);
    } else if (statement.kind === 'kill') this.#kill(session, statement.session);
    else if (statement.kind === 'rollback') session.pending = [];
    else if (statement.kind === 'commit') commit(session);
    else await this.#write(session, sql, statement);
    return { rows: [] };
  }

  #select(
    session: Session,
    sql: string,
    statement: Extract<OracleStatement, { kind: 'select' }>,
    binds: OracleBinds,
  ): OracleAnswer {
    const upper = Object.fromEntries(
      Object.entries(binds).map(([name, value]) => [name.toUpperCase(), this.model.convert(value)]),
    );
    for (const name of Object.keys(upper)) {
      if (!new RegExp(`:${name}\\b`, 'i').test(sql)) throw new OracleFault(1036, 'illegal variable name/number');
    }
    return { rows: this.#dictionary.select(session.user, statement.branches, upper) };
  }

  async #write(
    session: Session,
    sql: string,
    statement: Extract<OracleStatement, { kind: 'comment' | 'annotate' | 'insert' }>,
  ): Promise<void> {
    if (this.model.role !== 'PRIMARY')
      throw new OracleFault(16000, 'database or pluggable database open for read-only access');
    this.#journal.push(sql.replace(TRACE, ''));
    if (statement.kind === 'insert') {
      const object = this.model.insertTarget(session.user, statement.names, statement.values);
      session.pending.push({ object, values: statement.values });
      return;
    }
    // DDL commits what stands before it, whether or not it succeeds.
    commit(session);
    const names =
      statement.kind === 'comment' && statement.on === 'COLUMN' ? statement.names.slice(0, -1) : statement.names;
    const [schema, name] = names.length === 1 ? [session.user, names[0]] : names;
    const object = this.model.object(schema ?? '', name ?? '');
    const waiting = object === undefined ? undefined : this.#held.get(object);
    if (waiting !== undefined) await this.#waitFor(session, waiting);
    if (statement.kind === 'comment') this.model.comment(session.user, statement);
    else this.model.annotate(session.user, statement);
  }

  #waitFor(session: Session, waiting: Set<() => void>): Promise<void> {
    return new Promise((resolve, reject) => {
      const seconds = Number(session.settings.get('DDL_LOCK_TIMEOUT') ?? 0);
      const end = (act: () => void): void => {
        clearTimeout(timer);
        waiting.delete(go);
        session.abort = undefined;
        act();
      };
      const go = (): void => end(resolve);
      const timer = setTimeout(
        () =>
          end(() => reject(new OracleFault(54, 'resource busy and acquire with NOWAIT specified or timeout expired'))),
        seconds * this.lockSecondMs,
      );
      session.abort = (error) => end(() => reject(error));
      waiting.add(go);
    });
  }

  #kill(by: Session, address: string): void {
    if (!this.model.has(by.user, 'ALTER SYSTEM')) throw new OracleFault(1031, 'insufficient privileges');
    const victim = this.#sessions.find(({ sid, serial, alive }) => alive && `${sid},${serial},@1` === address);
    if (victim === undefined) throw new OracleFault(30, 'User session ID does not exist.');
    kill(victim);
  }
}

function kill(session: Session): void {
  session.alive = false;
  session.pending = [];
  session.abort?.(gone());
}

function commit(session: Session): void {
  for (const { object, values } of session.pending) object.rows.push(values);
  session.pending = [];
}

function gone(): DriverFault {
  return new DriverFault(
    'NJS-500',
    'connection to Oracle Database was closed or broken\nORA-03113: end-of-file on communication channel',
  );
}
