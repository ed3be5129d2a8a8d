import type { Connection, Submittable } from 'pg';

/** How much of the statements a span shows, in UTF-16 units. */
const SHOWN = 16_384;

/** One message each: all of them without a name, a parameter or a row (PostgreSQL manual, "Message Formats"). */
const BIND_AND_EXECUTE = Buffer.from('B\0\0\0\x0c\0\0\0\0\0\0\0\0E\0\0\0\x09\0\0\0\0\0', 'latin1');
const SYNC = Buffer.from('S\0\0\0\x04', 'latin1');
/** Kind, length, no name; then the statement; then its end and no parameter types. */
const PARSE_HEAD = 6;
const PARSE_TAIL = 3;

/**
 * Statements without rows that go to the server in one piece and are answered in one. Each is parsed by itself in the extended
 * protocol, which takes one statement and no more: none can swallow, end or smuggle in another, whatever its text; the modes that
 * an earlier one has set hold for the next; and the server logs and audits each alone. At the first failure it passes over the rest.
 * Handed to a session's `query`; the driver calls the handlers.
 */
export class StatementPipeline implements Submittable {
  /** What a span of the driver shows. */
  readonly text: string;
  /** Settles when the server has answered them all, or with the error of the statement after the `completed` ones. */
  readonly ended: Promise<void>;
  /** Called by the driver, which may wrap it, with an error or null. */
  callback: (error: unknown) => void;
  readonly #message: Buffer;
  #completed = 0;

  /** `setUp` runs first and is not shown. */
  constructor(setUp: readonly string[], statements: readonly string[]) {
    this.text = shown(statements);
    this.#message = encode([...setUp, ...statements]);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.ended = promise;
    this.callback = (error) => (error === null ? resolve() : reject(error));
  }

  /** How many statements the server has carried out, those of the set-up counted in. A notice that comes now is about the next one. */
  get completed(): number {
    return this.#completed;
  }

  submit({ stream }: Connection): void {
    // Of a broken one the driver learns, and tells us, by the end of its connection.
    if (stream.writable) stream.write(this.#message);
  }

  handleCommandComplete(): void {
    this.#completed += 1;
  }

  handleError(error: unknown): void {
    this.callback(error);
  }

  handleReadyForQuery(): void {
    this.callback(null);
  }

  readonly handleRowDescription = ignore;
  readonly handleDataRow = ignore;
  readonly handlePortalSuspended = ignore;
  readonly handleEmptyQuery = ignore;
  readonly handleCopyInResponse = ignore;
  readonly handleCopyData = ignore;
}

function ignore(): void {}

function shown(statements: readonly string[]): string {
  let text = '';
  for (const statement of statements) {
    if (text.length >= SHOWN) break;
    text += text === '' ? statement : `;\n${statement}`;
  }
  return text;
}

/** Parse, Bind and Execute for each statement, and one Sync at the end. */
function encode(statements: readonly string[]): Buffer {
  const lengths = statements.map((statement) => Buffer.byteLength(statement));
  const each = PARSE_HEAD + PARSE_TAIL + BIND_AND_EXECUTE.length;
  const message = Buffer.alloc(lengths.reduce((sum, length) => sum + length + each, SYNC.length));
  let at = 0;
  for (const [index, statement] of statements.entries()) {
    const length = lengths[index] ?? 0;
    message[at] = 0x50; // P
    message.writeInt32BE(PARSE_HEAD - 1 + length + PARSE_TAIL, at + 1);
    message.write(statement, at + PARSE_HEAD);
    at += PARSE_HEAD + length + PARSE_TAIL;
    at += BIND_AND_EXECUTE.copy(message, at);
  }
  SYNC.copy(message, at);
  return message;
}
