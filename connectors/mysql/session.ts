import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type * as Driver from 'mysql2';
import { z } from 'zod';
import { ConnectorError } from '../connector-error.ts';
import type { SessionName } from '../contract.ts';
import type { MysqlConfig, PemSource } from './config.ts';
import { connectorErrorOf } from './errors.ts';
import { parseServer, type Server } from './server.ts';
import { programName } from './session-name.ts';
import { ShownTables } from './shown-tables.ts';

const CONNECT_TIMEOUT_MS = 10_000;
/** Only against a server or network that says nothing any more; the server's own limits below are shorter. */
const ANSWER_TIMEOUT_MS = 75_000;

/**
 * The modes that our SQL text and the restating of columns depend on. Without ANSI_QUOTES and NO_BACKSLASH_ESCAPES literals mean what the
 * dialect says; without NO_ZERO_DATE old defaults can be restated; the time zone keeps TIMESTAMP defaults as they are printed.
 */
const PIN = [
  "sql_mode='STRICT_TRANS_TABLES,NO_ENGINE_SUBSTITUTION'",
  'sql_quote_show_create=1',
  'lock_wait_timeout=3',
  'autocommit=1',
  "time_zone='+00:00'",
].join(', ');

/** Not every server and account may set these; each is worth having alone. */
const PIN_WHERE_ALLOWED = {
  // Otherwise a TIMESTAMP column that is restated gets a default of its own.
  always: ['explicit_defaults_for_timestamp=1'],
  MariaDB: ['max_statement_time=60'],
  MySQL: ['max_execution_time=60000'],
} as const;

const helloRow = z.object({
  version: z.string(),
  account: z.string(),
  folding: z.coerce.number(),
  readOnly: z.coerce.number(),
});

/** One session with pinned modes. All methods throw only `ConnectorError`. */
export class Session {
  readonly server: Server;
  /** `user@host` as the server matched it. */
  readonly account: string;
  /** Names of databases and tables that differ only in case are the same (`lower_case_table_names` is not 0). */
  readonly foldsNames: boolean;
  readonly readOnly: boolean;
  readonly shown = new ShownTables();
  readonly #link: Link;

  constructor(link: Link, hello: z.infer<typeof helloRow>) {
    this.#link = link;
    this.server = parseServer(hello.version);
    this.account = hello.account;
    this.foldsNames = hello.folding !== 0;
    this.readOnly = hello.readOnly !== 0;
  }

  get usable(): boolean {
    return this.#link.usable;
  }

  /** Runs one statement and checks the rows that it answers. */
  async rows<Row>(sql: string, row: z.ZodType<Row>): Promise<readonly Row[]> {
    return readRows(await this.#link.query(sql), row);
  }

  async run(sql: string): Promise<void> {
    await this.#link.query(sql);
  }

  /** Sets the modes again, for when statements of others ran in the session. */
  async pin(): Promise<void> {
    await pin(this.#link, this.server);
  }

  /** Ends the session without a word: its locks go with it. */
  destroy(): void {
    this.#link.destroy();
  }

  close(): Promise<void> {
    return this.#link.close();
  }
}

export async function openSession(config: MysqlConfig, name: SessionName): Promise<Session> {
  const link = await Link.open(config, name);
  try {
    const [hello] = readRows(
      await link.query(
        'SELECT VERSION() AS version, CURRENT_USER() AS account, @@lower_case_table_names AS folding, @@GLOBAL.read_only AS readOnly',
      ),
      helloRow,
    );
    if (hello === undefined) throw unreadable();
    const session = new Session(link, hello);
    await session.pin();
    return session;
  } catch (error) {
    link.destroy();
    throw error;
  }
}

async function pin(link: Link, server: Server): Promise<void> {
  await link.query(`SET SESSION ${PIN}`);
  for (const setting of [...PIN_WHERE_ALLOWED.always, ...PIN_WHERE_ALLOWED[server.flavour]]) {
    try {
      await link.query(`SET SESSION ${setting}`);
    } catch (error) {
      if (error instanceof ConnectorError && error.scope === 'target') throw error;
    }
  }
}

function readRows<Row>(answer: unknown, row: z.ZodType<Row>): readonly Row[] {
  const rows = z.array(row).safeParse(answer);
  if (!rows.success) throw unreadable();
  return rows.data;
}

function unreadable(): ConnectorError {
  const message = 'The server answered in a form that is not known.';
  return new ConnectorError({ class: 'invalid', scope: 'object', code: 'answer-unreadable', message });
}

/** The driver's connection behind promises, with a time limit. */
class Link {
  readonly #connection: Driver.Connection;
  #usable = true;
  /** Fails the statement under way; the driver forgets it when the connection is destroyed. */
  #abandon: ((error: ConnectorError) => void) | undefined;

  constructor(connection: Driver.Connection) {
    this.#connection = connection;
    // Without a listener the loss of an idle connection would end the process.
    connection.on('error', () => this.destroy());
    connection.on('end', () => {
      this.#usable = false;
    });
  }

  static async open(config: MysqlConfig, name: SessionName): Promise<Link> {
    const ssl = await sslOf(config);
    // Loaded here and by `require`, so that tracing can hook it and listing connectors does not load it.
    const driver: typeof Driver = createRequire(import.meta.url)('mysql2');
    const connection = driver.createConnection({
      host: config.host,
      port: config.port,
      user: config.user,
      ...(config.password === undefined ? {} : { password: config.password }),
      ...(ssl === undefined ? {} : { ssl }),
      charset: 'utf8mb4',
      multipleStatements: false,
      connectTimeout: CONNECT_TIMEOUT_MS,
      enableKeepAlive: true,
      connectAttributes: { program_name: programName(name) },
    });
    const link = new Link(connection);
    await new Promise<void>((resolve, reject) => {
      connection.connect((error) => {
        if (error === null) return resolve();
        link.destroy();
        reject(connectorErrorOf(error, 'connect'));
      });
    });
    return link;
  }

  get usable(): boolean {
    return this.#usable;
  }

  query(sql: string): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(
        () => this.destroy('no-answer', 'The server did not answer in time.'),
        ANSWER_TIMEOUT_MS,
      );
      const settle = (): void => {
        clearTimeout(timer);
        this.#abandon = undefined;
      };
      this.#abandon = (error) => {
        settle();
        reject(error);
      };
      // No values: what stands for nothing would still make the driver look for placeholders in the whole statement.
      this.#connection.query({ sql, values: null }, (error, answer) => {
        settle();
        if (error === null) return resolve(answer);
        const failure = connectorErrorOf(error, 'statement');
        if (failure.scope === 'target') this.destroy();
        reject(failure);
      });
    });
  }

  destroy(code = 'connection-lost', message = 'The connection was lost.'): void {
    this.#usable = false;
    this.#connection.destroy();
    this.#abandon?.(new ConnectorError({ class: 'transient', scope: 'target', code, message }));
  }

  async close(): Promise<void> {
    if (!this.#usable) return;
    this.#usable = false;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, 1_000);
      this.#connection.end(() => {
        clearTimeout(timer);
        resolve();
      });
    });
    this.#connection.destroy();
  }
}

async function sslOf({ sslMode, ssl }: MysqlConfig): Promise<Driver.SslOptions | undefined> {
  const given = Object.keys(ssl).length > 0;
  if (sslMode === 'disable' || (!given && (sslMode === undefined || sslMode === 'allow' || sslMode === 'prefer'))) {
    return undefined;
  }
  const [ca, cert, key] = await Promise.all([ssl.ca, ssl.cert, ssl.key].map(pem));
  return {
    rejectUnauthorized: sslMode !== 'require',
    verifyIdentity: sslMode === 'verify-full',
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
  };
}

async function pem(source: PemSource | undefined): Promise<string | undefined> {
  if (source === undefined || 'pem' in source) return source?.pem;
  try {
    return await readFile(source.file, 'utf8');
  } catch (cause) {
    const message = 'A certificate or key file of the connection cannot be read. Check sslCA, sslCert and sslKey.';
    throw new ConnectorError({ class: 'auth', scope: 'target', code: 'certificate-unreadable', message }, { cause });
  }
}
