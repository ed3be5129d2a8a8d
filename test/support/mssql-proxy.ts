import { connect, createServer, type Server, type Socket } from 'node:net';
import { isWrite } from './mssql-execute.ts';
import { asWritten, withoutTrace } from './mssql-journal.ts';
import { SyntaxProblem } from './mssql-lexer.ts';
import { type Message, MessageReader, PACKET } from './mssql-packets.ts';
import { parseBatch } from './mssql-parser.ts';
import { decodeBatch, decodeRpc } from './mssql-requests.ts';
import type { Value } from './mssql-tokens.ts';

/**
 * Stands between the connector and a server without TLS: passes everything on, notes the writing statements that go by, and can break
 * the connections. What it cannot read it notes as it came.
 */
export class MssqlProxy {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #journal: string[] = [];

  private constructor(host: string, port: number) {
    this.#server = createServer((client) => {
      const reader = new MessageReader();
      const upstream = connect(port, host);
      for (const socket of [client, upstream]) {
        this.#sockets.add(socket);
        socket.on('error', () => {});
        socket.on('close', () => {
          this.#sockets.delete(socket);
          client.destroy();
          upstream.destroy();
        });
      }
      client.on('data', (bytes) => {
        for (const message of reader.push(Buffer.from(bytes))) this.#note(message);
        upstream.write(bytes);
      });
      upstream.on('data', (bytes) => client.write(bytes));
    });
  }

  static async start(host: string, port: number): Promise<MssqlProxy> {
    const proxy = new MssqlProxy(host, port);
    await new Promise<void>((resolve) => proxy.#server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  get hostPort(): string {
    const address = this.#server.address();
    if (address === null || typeof address === 'string') throw new Error('the proxy is not listening');
    return `127.0.0.1:${address.port}`;
  }

  /** The writing statements since the last call, with bound values as literals and without the trace of the change. */
  takeJournal(): readonly string[] {
    const journal = this.#journal;
    this.#journal = [];
    return journal;
  }

  breakConnections(): void {
    for (const socket of [...this.#sockets]) socket.destroy();
  }

  async stop(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.breakConnections();
    await closed;
  }

  #note({ type, payload }: Message): void {
    if (type === PACKET.batch) {
      const text = decodeBatch(payload);
      if (writes(text)) this.#journal.push(withoutTrace(text));
    }
    if (type !== PACKET.rpc) return;
    const { parameters } = decodeRpc(payload);
    const [statement, , ...values] = parameters;
    const variables = new Map(values.map(({ name, value }): [string, Value] => [name.toLowerCase(), value]));
    const text = String(statement?.value ?? '');
    if (!writes(text)) return;
    for (const one of parseBatch(text)) this.#journal.push(asWritten(one, variables));
  }
}

/** What is not in the known part of the language writes, for all that is known. */
function writes(text: string): boolean {
  try {
    return parseBatch(text).some(isWrite);
  } catch (error) {
    if (error instanceof SyntaxProblem) return true;
    throw error;
  }
}
