import { readFile } from 'node:fs/promises';
import { Agent } from 'node:https';
import { text } from 'node:stream/consumers';
import { z } from 'zod';
import { ConnectorError } from '../connector-error.ts';
import type { SessionName } from '../contract.ts';
import type { ClickhouseConfig, PemSource } from './config.ts';
import { connectorErrorOf } from './errors.ts';
import { driverTracer } from './tracer.ts';

/** Statements over HTTP. Every method throws only `ConnectorError`. */
export interface ClickhouseClient {
  /** `ClickHouse 26.7.2.1`. */
  readonly server: string;
  readonly user: string;
  readonly cluster: string | undefined;
  /** Runs a SELECT (or what answers like one) and parses each row, a list of its columns. */
  rows<Row>(query: string, row: z.ZodType<Row>): Promise<readonly Row[]>;
  /** The plain text that the server answers to a statement which takes no FORMAT. */
  text(statement: string): Promise<string>;
  /** Runs a statement without an answer. The trace goes to the server's own span log as well as into its query log. */
  run(statement: string, traceparent: string | undefined): Promise<void>;
  readonly closed: boolean;
  close(): Promise<void>;
}

const REQUEST_TIMEOUT_MS = 60_000;
/** Seconds; after that the rest of the cluster carries on in the background, and the write is tried again. */
const CLUSTER_TIMEOUT = 60;
/** Seconds that a statement waits for the lock of its table. */
const LOCK_TIMEOUT = 3;
/** Reads, and one write after the other. */
const SOCKETS = 4;

/** ClickHouse has no sessions over HTTP: this stands in its query log, as user agent and as comment of each statement. */
export function applicationName({ lane, epoch }: SessionName): string {
  return `backflow/${lane.replaceAll(/[^!-~]|\//g, '_').slice(0, 100)}/${epoch}`;
}

const identity = z.tuple([z.string(), z.string()]);

/** Connects at once, so that wrong credentials and addresses show. */
export async function openClient(config: ClickhouseConfig, session: SessionName): Promise<ClickhouseClient> {
  const { createClient, ClickHouseLogLevel } = await import('@clickhouse/client');
  const { host, port, https, user, password, cluster } = config;
  const application = applicationName(session);
  const agent = https ? await agentFor(config) : undefined;
  const client = createClient({
    url: `${https ? 'https' : 'http'}://${host.includes(':') ? `[${host}]` : host}:${port}`,
    username: user,
    password,
    application,
    max_open_connections: SOCKETS,
    request_timeout: REQUEST_TIMEOUT_MS + (cluster === undefined ? 0 : CLUSTER_TIMEOUT * 1000),
    tracer: driverTracer,
    // It would write statements, and so texts of the catalogue, to the console.
    log: { level: ClickHouseLogLevel.OFF },
    clickhouse_settings: {
      log_comment: application,
      lock_acquire_timeout: LOCK_TIMEOUT,
      ...(cluster === undefined
        ? {}
        : { distributed_ddl_task_timeout: String(CLUSTER_TIMEOUT), distributed_ddl_output_mode: 'throw' }),
    },
    ...(agent === undefined ? {} : { http_agent: agent }),
  });
  let closed = false;
  const ask = async (query: string): Promise<readonly unknown[]> => {
    const result = await client.query({ query, format: 'JSONCompactEachRow' });
    return result.json<unknown>();
  };

  let who: z.infer<typeof identity>;
  try {
    who = identity.parse((await ask('SELECT version(), currentUser()'))[0]);
  } catch (error) {
    await client.close();
    agent?.destroy();
    throw connectorErrorOf(error, 'connect');
  }
  return {
    server: `ClickHouse ${who[0]}`,
    user: who[1],
    cluster,
    async rows(query, schema) {
      let answer: readonly unknown[];
      try {
        answer = await ask(query);
      } catch (error) {
        throw connectorErrorOf(error, 'statement');
      }
      const parsed = schema.array().safeParse(answer);
      if (parsed.success) return parsed.data;
      const message = 'The server answered a query of the connector in a form that it does not know.';
      throw new ConnectorError({ class: 'unsupported', scope: 'target', code: 'unknown-answer', message });
    },
    async text(statement) {
      try {
        const { stream } = await client.exec({ query: statement });
        return await text(stream);
      } catch (error) {
        throw connectorErrorOf(error, 'statement');
      }
    },
    async run(statement, traceparent) {
      try {
        await client.command({
          query: traced(statement, traceparent),
          ...(isTraceparent(traceparent) ? { http_headers: { traceparent } } : {}),
        });
      } catch (error) {
        throw connectorErrorOf(error, 'statement');
      }
    },
    get closed() {
      return closed;
    },
    async close() {
      if (closed) return;
      closed = true;
      await client.close();
      agent?.destroy();
    },
  };
}

async function agentFor({ tls }: ClickhouseConfig): Promise<Agent> {
  const [ca, cert, key] = await Promise.all([tls.ca, tls.cert, tls.key].map(pemOf));
  return new Agent({
    keepAlive: true,
    maxSockets: SOCKETS,
    rejectUnauthorized: tls.verify,
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
  });
}

async function pemOf(source: PemSource | undefined): Promise<string | undefined> {
  if (source === undefined || 'pem' in source) return source?.pem;
  try {
    return await readFile(source.file, 'utf8');
  } catch (error) {
    const message = 'A certificate or key file of the connection cannot be read on this machine.';
    throw new ConnectorError({ class: 'auth', scope: 'target', code: 'certificate-file', message }, { cause: error });
  }
}

function isTraceparent(text: string | undefined): text is string {
  return text !== undefined && /^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/.test(text);
}

/** Leads from the server's query log back to the change. Nothing but a well-formed traceparent is ever put in. */
export function traced(statement: string, traceparent: string | undefined): string {
  return isTraceparent(traceparent) ? `${statement} /*traceparent='${traceparent}'*/` : statement;
}
