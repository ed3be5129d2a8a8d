import type { Socket } from 'node:net';
import { type Execution, execute, isWrite } from './mssql-execute.ts';
import { ServerFault } from './mssql-fault.ts';
import { asWritten, withoutTrace } from './mssql-journal.ts';
import { SyntaxProblem } from './mssql-lexer.ts';
import { Cancelled, type LockTable } from './mssql-locks.ts';
import type { DatabaseModel, LoginRow, ServerModel } from './mssql-model.ts';
import { type Message, MessageReader, PACKET, packets } from './mssql-packets.ts';
import { parseBatch } from './mssql-parser.ts';
import {
  decodeBatch,
  decodeLogin,
  decodePrelogin,
  decodeRpc,
  decodeTransactionRequest,
  type RpcRequest,
} from './mssql-requests.ts';
import { Rights } from './mssql-rights.ts';
import type { Answer } from './mssql-select.ts';
import * as token from './mssql-tokens.ts';
import type { SessionInfo } from './mssql-views.ts';

/** What a session shares with the others. */
export interface Shared {
  readonly model: ServerModel;
  readonly locks: LockTable;
  readonly sessions: Map<number, TdsSession>;
  readonly hasClassifications: boolean;
  /** Hears each writing statement before it runs, with the name of the program that sent it. */
  journal(program: string, statement: string, sent: string): void;
  /** Hears of each login that came and was refused. */
  refused(): void;
}

const VERSION = [16, 0, 0x10, 0x27] as const;
const PACKET_BYTES = 4096;
const ENCRYPTION_NOT_SUPPORTED = 2;
const SP_EXECUTESQL = 10;

/** One connection of a client: login, then requests one after the other, and ATTENTION beside them. */
export class TdsSession implements SessionInfo {
  readonly id: number;
  login = '';
  program = '';
  readonly #socket: Socket;
  readonly #shared: Shared;
  readonly #settings = new Map<string, string>();
  readonly #undo: (() => void)[] = [];
  #database: DatabaseModel | undefined;
  #account: LoginRow | undefined;
  #transaction = 0;
  #running: AbortController | undefined;
  #queue: Promise<void> = Promise.resolve();

  constructor(id: number, socket: Socket, shared: Shared) {
    this.id = id;
    this.#socket = socket;
    this.#shared = shared;
    const reader = new MessageReader();
    socket.on('data', (bytes) => {
      for (const message of reader.push(Buffer.from(bytes))) this.#receive(message);
    });
    socket.on('error', () => {});
    socket.on('close', () => this.#gone());
  }

  /** Ends the connection as a network fault, an administrator or a crash does. */
  end(): void {
    this.#socket.destroy();
  }

  #gone(): void {
    this.#running?.abort();
    this.#shared.sessions.delete(this.id);
    this.#queue = this.#queue.then(() => this.#rollBack());
  }

  #receive(message: Message): void {
    if (message.type === PACKET.attention) {
      if (this.#running === undefined) this.#answer(token.done('done', token.DONE.attention));
      else this.#running.abort();
      return;
    }
    this.#queue = this.#queue.then(() => this.#serve(message)).catch(() => this.end());
  }

  async #serve({ type, payload }: Message): Promise<void> {
    switch (type) {
      case PACKET.prelogin:
        decodePrelogin(payload);
        return this.#answer(token.preloginAnswer([...VERSION], ENCRYPTION_NOT_SUPPORTED));
      case PACKET.login:
        return this.#logIn(payload);
      case PACKET.batch:
        return this.#batch(decodeBatch(payload));
      case PACKET.rpc:
        return this.#rpc(decodeRpc(payload));
      case PACKET.transaction:
        return this.#answer(this.#manage(decodeTransactionRequest(payload)));
      default:
        throw new Error(`a message of type ${type}`);
    }
  }

  #logIn(payload: Buffer): void {
    const request = decodeLogin(payload);
    const account = this.#shared.model.logins.get(request.userName);
    if (account === undefined || account.password !== request.password) {
      this.#refuse([18456, `Login failed for user '${request.userName}'.`]);
      return;
    }
    const database = this.#shared.model.find(request.database === '' ? 'master' : request.database);
    if (database === undefined || (database.name !== 'master' && new Rights(database, account).user === undefined)) {
      this.#refuse(
        [4060, `Cannot open database "${request.database}" requested by the login. The login failed.`],
        [18456, `Login failed for user '${request.userName}'.`],
      );
      return;
    }
    this.login = account.name;
    this.program = request.appName;
    this.#account = account;
    this.#database = database;
    this.#answer(
      Buffer.concat([
        token.textChange(1, database.name, 'master'),
        token.loginAck(Buffer.from('74000004', 'hex'), 'Microsoft SQL Server', VERSION),
        token.textChange(4, String(PACKET_BYTES), String(PACKET_BYTES)),
        token.done('done', token.DONE.final),
      ]),
    );
  }

  #refuse(...errors: readonly (readonly [number: number, message: string])[]): void {
    this.#shared.refused();
    const tokens = errors.map(([number, message]) => token.errorToken({ number, message, severity: 14 }));
    this.#answer(Buffer.concat([...tokens, token.done('done', token.DONE.error)]));
    this.#socket.end();
  }

  #manage(request: 'begin' | 'commit' | 'rollback'): Buffer {
    const descriptor = Buffer.alloc(8);
    if (request === 'begin') this.#transaction += 1;
    descriptor.writeUInt32LE(this.#transaction);
    descriptor.writeUInt32LE(this.id, 4);
    if (request === 'rollback') this.#rollBack();
    if (request !== 'begin') this.#commit();
    this.#inTransaction = request === 'begin';
    const change = ({ begin: 8, commit: 9, rollback: 10 } as const)[request];
    return Buffer.concat([token.transactionChange(change, descriptor), token.done('done', token.DONE.final)]);
  }

  #inTransaction = false;

  #commit(): void {
    this.#undo.length = 0;
    this.#shared.locks.releaseAll(this);
  }

  #rollBack(): void {
    for (const undo of this.#undo.reverse()) undo();
    this.#commit();
  }

  async #batch(text: string): Promise<void> {
    await this.#run(text, new Map(), new Set(), 'done');
  }

  async #rpc({ procedure, parameters }: RpcRequest): Promise<void> {
    const [statement, declarations, ...values] = parameters;
    if (procedure !== SP_EXECUTESQL || typeof statement?.value !== 'string') {
      throw new Error(`a call of ${procedure}`);
    }
    const declared = declarations === undefined ? new Map() : declaredTypes(String(declarations.value ?? ''));
    const variables = new Map<string, token.Value>();
    const maxVariables = new Set<string>();
    for (const { name, value } of values) {
      const type = declared.get(name.toLowerCase());
      if (type === undefined) throw new Error(`${name} is not declared`);
      if (type === 'max') maxVariables.add(name.toLowerCase());
      // A value that is longer than its declaration loses the rest without a word.
      const cut = typeof value === 'string' && typeof type === 'number' ? value.slice(0, type) : value;
      variables.set(name.toLowerCase(), cut);
    }
    await this.#run(statement.value, variables, maxVariables, 'inProcedure');
  }

  /** Statements in order; a statement that fails does not end the batch, a syntax error comes before any of them. */
  async #run(
    text: string,
    variables: ReadonlyMap<string, token.Value>,
    maxVariables: ReadonlySet<string>,
    how: 'done' | 'inProcedure',
  ): Promise<void> {
    const running = new AbortController();
    this.#running = running;
    const parts: Buffer[] = [];
    let failed = false;
    try {
      const statements = parseBatch(text);
      const writes = statements.filter(isWrite);
      if (variables.size === 0 && writes.length > 0) this.#shared.journal(this.program, withoutTrace(text), text);
      for (const [index, statement] of statements.entries()) {
        if (variables.size > 0 && isWrite(statement)) {
          this.#shared.journal(this.program, asWritten(statement, variables), text);
        }
        const more = how === 'inProcedure' || index < statements.length - 1 ? token.DONE.more : token.DONE.final;
        const result = await this.#attempt(() =>
          execute(statement, variables, maxVariables, this.#execution(running.signal)),
        );
        failed ||= result.error;
        parts.push(
          result.tokens,
          token.done(how, more | (result.error ? token.DONE.error : 0) | result.count, 0, result.rows),
        );
        if (!this.#inTransaction) this.#commit();
      }
      if (statements.length === 0) parts.push(token.done('done', token.DONE.final));
    } catch (error) {
      if (error instanceof Cancelled) {
        this.#running = undefined;
        return this.#answer(token.done('done', token.DONE.attention));
      }
      if (!(error instanceof SyntaxProblem)) throw error;
      failed = true;
      parts.push(token.errorToken({ number: error.number, message: error.message, severity: 15 }));
      if (how === 'done') parts.push(token.done('done', token.DONE.error));
    }
    this.#running = undefined;
    if (how === 'inProcedure') {
      parts.push(
        token.returnStatus(failed ? 1 : 0),
        token.done('procedure', failed ? token.DONE.error : token.DONE.final),
      );
    }
    this.#answer(Buffer.concat(parts));
  }

  async #attempt(work: () => Promise<Answer | undefined>): Promise<{
    readonly tokens: Buffer;
    readonly error: boolean;
    readonly count: number;
    readonly rows: number;
  }> {
    try {
      const answer = await work();
      if (answer === undefined) return { tokens: Buffer.alloc(0), error: false, count: 0, rows: 0 };
      const rows = answer.rows.map((row) => token.row(answer.columns, row));
      const tokens = Buffer.concat([token.columnMetadata(answer.columns), ...rows]);
      return { tokens, error: false, count: token.DONE.count, rows: rows.length };
    } catch (error) {
      if (!(error instanceof ServerFault)) throw error;
      return { tokens: token.errorToken(error), error: true, count: 0, rows: 0 };
    }
  }

  #execution(signal: AbortSignal): Execution {
    if (this.#database === undefined || this.#account === undefined) throw new Error('a request before login');
    const { model, locks, sessions, hasClassifications } = this.#shared;
    return {
      viewer: {
        server: model,
        database: this.#database,
        rights: new Rights(this.#database, this.#account),
        session: this,
        sessions: [...sessions.values()],
        hasClassifications,
      },
      locks,
      holder: this,
      settings: this.#settings,
      signal,
      undo: this.#undo,
      kill: (id) => {
        const session = sessions.get(id);
        if (session === undefined) throw new ServerFault(6106, `Process ID ${id} is not an active process ID.`);
        session.end();
      },
    };
  }

  #answer(payload: Buffer): void {
    if (!this.#socket.destroyed) this.#socket.write(packets(PACKET.answer, payload, PACKET_BYTES));
  }
}

/** `@a nvarchar(128), @b int`: units of each variable, `max`, or undefined for other types. */
function declaredTypes(text: string): Map<string, number | 'max' | 'int'> {
  const types = new Map<string, number | 'max' | 'int'>();
  for (const part of text.split(',')) {
    const match = /^\s*(@\w+)\s+(?:nvarchar\s*\(\s*(\d+|max)\s*\)|int)\s*$/i.exec(part);
    if (match?.[1] === undefined) throw new SyntaxProblem(102, `Incorrect syntax near '${part}'.`);
    const size = match[2]?.toLowerCase();
    types.set(match[1].toLowerCase(), size === undefined ? 'int' : size === 'max' ? 'max' : Number(size));
  }
  return types;
}
