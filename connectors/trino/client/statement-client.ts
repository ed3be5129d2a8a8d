import { SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import type { z } from 'zod';
import { ConnectorError } from '../../connector-error.ts';
import type { SessionName } from '../../contract.ts';
import type { TrinoConfig } from '../config.ts';
import { networkError, type Phase, queryError } from '../errors.ts';
import { credentialsFor } from './credentials.ts';
import { parsePage, type QueryPage } from './query-results.ts';
import { Requests } from './requests.ts';
import { sourceName } from './session-name.ts';
import { applyHeaders, copyOf, roleValue, type SessionState, stateHeaders } from './session-state.ts';
import { openTransport } from './transport.ts';

export interface RunOptions {
  /** W3C traceparent of the change's own write span: a header of each request and a comment behind the statement. */
  readonly traceparent?: string | undefined;
  /** What earlier statements of the same template have set; changed by this one. */
  readonly state?: SessionState;
  /** Ends the wait and asks the server to stop the statement. It may be carried out all the same. */
  readonly signal?: AbortSignal;
  /** Default `statement`. */
  readonly phase?: Phase;
}

export interface ClientTimes {
  /** Milliseconds that a statement may take; then it is cancelled. */
  readonly statementMs: number;
  /** Milliseconds before the first repeated request; doubled each time. */
  readonly backoffMs: number;
}

const TIMES: ClientTimes = { statementMs: 120_000, backoffMs: 100 };
const CANCEL_MS = 2_000;
const tracer = trace.getTracer('backflow');

/** Statements over Trino's client protocol. Throws only `ConnectorError`; what the server reports of a statement is a `TrinoQueryError`. */
export async function openStatementClient(
  config: TrinoConfig,
  session: SessionName,
  times: Partial<ClientTimes> = {},
): Promise<StatementClient> {
  const all = { ...TIMES, ...times };
  const credentials = credentialsFor(config.user, config.login);
  return new StatementClient(
    config,
    session,
    new Requests(await openTransport(config), credentials, all.backoffMs),
    all,
  );
}

/**
 * A statement is POSTed, and then page after page is fetched until one names no next. Nothing runs before the first page is fetched, and
 * a page can be fetched again, so both kinds of request may be repeated. An error may come in any page, the first included, always with
 * HTTP 200; only a last page without one, in state FINISHED, means success.
 */
export class StatementClient {
  readonly #config: TrinoConfig;
  readonly #requests: Requests;
  readonly #times: ClientTimes;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #state: SessionState;
  readonly #closing = new AbortController();

  constructor(config: TrinoConfig, session: SessionName, requests: Requests, times: ClientTimes) {
    this.#config = config;
    this.#requests = requests;
    this.#times = times;
    const source = sourceName(session);
    this.#headers = {
      'User-Agent': 'backflow',
      'X-Trino-User': config.user,
      'X-Trino-Source': source,
      'X-Trino-Client-Info': source,
      'X-Trino-Client-Tags': ['backflow', ...config.clientTags].join(','),
      'X-Trino-Time-Zone': 'UTC',
    };
    this.#state = {
      properties: new Map(Object.entries(config.session).map(([key, value]) => [key, encodeURIComponent(value)])),
      roles: new Map(Object.entries(config.roles).map(([catalog, role]) => [catalog, roleValue(role)])),
    };
  }

  /** The state that every statement starts from, for a run of statements that may change it. */
  newState(): SessionState {
    return copyOf(this.#state);
  }

  /** Runs a statement to its end and parses each row, a list of its columns. */
  async rows<Row>(statement: string, row: z.ZodType<Row>, options: RunOptions = {}): Promise<readonly Row[]> {
    const parsed = row.array().safeParse(await this.run(statement, options));
    if (parsed.success) return parsed.data;
    const message = 'The server answered a query of the connector in a form that it does not know.';
    throw new ConnectorError({ class: 'unsupported', scope: 'target', code: 'unknown-answer', message });
  }

  /** Runs a statement to its end. The answer is its rows, none for most. */
  run(statement: string, options: RunOptions = {}): Promise<readonly unknown[]> {
    const [word = ''] = /[A-Za-z]+/.exec(statement) ?? [];
    const operation = word.toUpperCase();
    const attributes = {
      'db.system.name': 'trino',
      'db.operation.name': operation,
      'server.address': this.#config.host,
      'server.port': this.#config.port,
    };
    return tracer.startActiveSpan(`${operation} trino`, { kind: SpanKind.CLIENT, attributes }, async (span) => {
      try {
        return await this.#run(statement, options);
      } catch (error) {
        const failure = networkError(error);
        span.setStatus({ code: SpanStatusCode.ERROR, message: failure.code });
        throw failure;
      } finally {
        span.end();
      }
    });
  }

  async #run(statement: string, options: RunOptions): Promise<readonly unknown[]> {
    const deadline = AbortSignal.timeout(this.#times.statementMs);
    const given = options.signal === undefined ? [] : [options.signal];
    const signal = AbortSignal.any([this.#closing.signal, deadline, ...given]);
    const state = options.state ?? this.#state;
    const trail = isTraceparent(options.traceparent)
      ? { traceparent: options.traceparent, 'X-Trino-Trace-Token': options.traceparent }
      : {};
    const headers = { ...this.#headers, ...stateHeaders(state), ...trail };
    const rows: unknown[] = [];
    let next: string | undefined;
    try {
      let page = await this.#page(
        'POST',
        '/v1/statement',
        headers,
        signal,
        traced(statement, options.traceparent),
        state,
      );
      for (;;) {
        // Nothing of what follows can undo the error, and the server keeps nothing of a failed statement.
        if (page.error != null) {
          next = undefined;
          const { failureInfo, ...error } = page.error;
          const failureType = failureInfo?.type;
          throw queryError(
            { ...error, ...(failureType === undefined ? {} : { failureType }) },
            options.phase ?? 'statement',
          );
        }
        rows.push(...(page.data ?? []));
        next = page.nextUri === undefined ? undefined : ownPath(page.nextUri);
        if (next === undefined) break;
        page = await this.#page('GET', next, headers, signal, undefined, state);
      }
      const ended = page.stats?.state;
      if (ended === undefined || ended === 'FINISHED') return rows;
      throw new ConnectorError(UNFINISHED);
    } catch (error) {
      if (next !== undefined) void this.#cancel(next, headers);
      if (this.#closing.signal.aborted) throw closed();
      if (deadline.aborted) throw new ConnectorError(TIMED_OUT);
      if (options.signal?.aborted === true) throw new ConnectorError(ABORTED);
      throw error;
    }
  }

  async #page(
    method: 'GET' | 'POST',
    path: string,
    headers: Readonly<Record<string, string>>,
    signal: AbortSignal,
    body: string | undefined,
    state: SessionState,
  ): Promise<QueryPage> {
    const answer = await this.#requests.send({
      method,
      path,
      headers,
      signal,
      ...(body === undefined ? {} : { body }),
    });
    const page = parsePage(answer.body);
    // What a failed statement says of the session does not hold.
    if (page.error == null && state !== this.#state) applyHeaders(state, answer.headers);
    return page;
  }

  /** Asks the server to stop; nobody waits for the answer, since the statement may be carried out all the same. */
  async #cancel(path: string, headers: Readonly<Record<string, string>>): Promise<void> {
    try {
      await this.#requests.once({ method: 'DELETE', path, headers, signal: AbortSignal.timeout(CANCEL_MS) });
    } catch {
      // The server drops a statement that nobody asks for after some minutes.
    }
  }

  /** What is under way fails. */
  close(): void {
    if (this.#closing.signal.aborted) return;
    this.#closing.abort();
    this.#requests.close();
  }
}

/** The next page by path alone, on the server of the connection: credentials go nowhere else, whatever an answer names. */
function ownPath(nextUri: string): string {
  const base = 'http://server';
  if (!URL.canParse(nextUri, base)) throw new ConnectorError(UNFINISHED);
  const { pathname, search } = new URL(nextUri, base);
  return pathname + search;
}

function isTraceparent(text: string | undefined): text is string {
  return text !== undefined && /^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/.test(text);
}

/** Leads from the server's list of queries back to the change. Nothing but a well-formed traceparent is ever put in. */
export function traced(statement: string, traceparent: string | undefined): string {
  return isTraceparent(traceparent) ? `${statement} /*traceparent='${traceparent}'*/` : statement;
}

const UNFINISHED = {
  class: 'transient',
  scope: 'object',
  code: 'unfinished',
  message: 'The server ended the statement without an error and without finishing it.',
} as const;

/** The statement was cancelled, and may have been carried out all the same. */
export const TIMED_OUT = {
  class: 'transient',
  scope: 'object',
  code: 'statement-timeout',
  message: 'The statement took too long and was cancelled.',
} as const;

const ABORTED = {
  class: 'transient',
  scope: 'object',
  code: 'aborted',
  message: 'The statement was cancelled.',
} as const;

function closed(): ConnectorError {
  return new ConnectorError({
    class: 'transient',
    scope: 'target',
    code: 'closed',
    message: 'The connection was closed.',
  });
}
