import { createServer, type Server } from 'node:net';
import { LockTable } from './mssql-locks.ts';
import { ServerModel } from './mssql-model.ts';
import { type Shared, TdsSession } from './mssql-session.ts';

export interface JournalEntry {
  readonly program: string;
  /** With bound values as literals, and without the trace of the change. */
  readonly statement: string;
  /** The text as it came, in which bound values are variables. */
  readonly sent: string;
}

export interface MssqlPeerOptions {
  /** Sensitivity classifications came with SQL Server 2019. */
  readonly hasClassifications?: boolean;
}

/**
 * A server that speaks the TDS protocol (7.4, without TLS) over a model of databases, principals, rights and extended properties. It
 * understands the part of Transact-SQL that the connector sends, strictly, and answers everything else with a syntax error.
 */
export class MssqlPeer {
  readonly model = new ServerModel();
  readonly locks = new LockTable();
  readonly #server: Server;
  readonly #sessions = new Map<number, TdsSession>();
  refusedLogins = 0;
  #journal: JournalEntry[] = [];
  #nextSession = 51;

  private constructor(options: MssqlPeerOptions) {
    const shared: Shared = {
      model: this.model,
      locks: this.locks,
      sessions: this.#sessions,
      hasClassifications: options.hasClassifications ?? true,
      refused: () => {
        this.refusedLogins += 1;
      },
      journal: (program, statement, sent) => this.#journal.push({ program, statement, sent }),
    };
    this.#server = createServer((socket) => {
      const session = new TdsSession(this.#nextSession, socket, shared);
      this.#sessions.set(session.id, session);
      this.#nextSession += 1;
    });
  }

  static async start(options: MssqlPeerOptions = {}): Promise<MssqlPeer> {
    const peer = new MssqlPeer(options);
    await new Promise<void>((resolve, reject) => {
      peer.#server.once('error', reject);
      peer.#server.listen(0, '127.0.0.1', resolve);
    });
    return peer;
  }

  get hostPort(): string {
    const address = this.#server.address();
    if (address === null || typeof address === 'string') throw new Error('the peer is not listening');
    return `127.0.0.1:${address.port}`;
  }

  /** Sessions that are logged in now. */
  get sessions(): readonly TdsSession[] {
    return [...this.#sessions.values()].filter(({ login }) => login !== '');
  }

  /** Everything that was written, or tried, since the last call. */
  takeJournal(): readonly JournalEntry[] {
    const journal = this.#journal;
    this.#journal = [];
    return journal;
  }

  endSessions(): void {
    for (const session of [...this.#sessions.values()]) session.end();
  }

  async stop(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.endSessions();
    await closed;
  }
}
