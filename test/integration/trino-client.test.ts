import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { ConnectorError } from '../../connectors/connector-error.ts';
import { openStatementClient, type StatementClient } from '../../connectors/trino/client/statement-client.ts';
import { trinoConfig } from '../../connectors/trino/config.ts';
import { TrinoQueryError } from '../../connectors/trino/errors.ts';
import { ModelError } from '../support/trino-model.ts';
import { type Fault, failed, page, startTrinoServer, type TrinoServer } from '../support/trino-server.ts';

const TRACEPARENT = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
const NAMES = "SELECT table_name FROM memory.information_schema.tables WHERE table_schema = 'app'";
const COMMENT = "COMMENT ON TABLE memory.app.t0 IS 'x'";
const row = z.tuple([z.string()]);

let server: TrinoServer;
let client: StatementClient;

const open = (more: object = {}, times = {}): Promise<StatementClient> =>
  openStatementClient(
    trinoConfig.parse({ type: 'Trino', username: 'ada', hostPort: `127.0.0.1:${server.port}`, ...more }),
    { lane: 'pg/é 1', epoch: 7 },
    { backoffMs: 1, ...times },
  );

beforeEach(async () => {
  server = await startTrinoServer({ pageRows: 2 });
  for (let i = 0; i < 7; i += 1) server.model.addTable(['memory', 'app', `t${i}`], ['id']);
  client = await open();
});

afterEach(async () => {
  client.close();
  await server.stop();
});

async function failureOf(work: Promise<unknown>): Promise<ConnectorError> {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof ConnectorError) return error;
  throw new Error('it did not fail as it should');
}

const status =
  (code: number, method: string, headers = {}): Fault =>
  (request, response) => {
    if (request.method !== method) return false;
    response.writeHead(code, headers).end('not now');
    return true;
  };

const breaking =
  (method: string): Fault =>
  (request, response) => {
    if (request.method !== method) return false;
    response.destroy();
    return true;
  };

const methods = (): readonly string[] => server.requests.map(({ method }) => method);

describe('the client of Trino', () => {
  it('follows nextUri over all pages, always on the server of the connection', async () => {
    const rows = await client.rows(NAMES, row);
    expect(rows.map(([name]) => name)).toEqual(['t0', 't1', 't2', 't3', 't4', 't5', 't6']);
    // The model names another host in each nextUri: whoever follows it as it is goes nowhere.
    expect(methods()).toEqual(['POST', 'GET', 'GET', 'GET', 'GET', 'GET']);
  });

  it('says who asks, with the trace as header and as comment', async () => {
    client.close();
    client = await open({
      connectionArguments: {
        session_properties: { query_priority: 2 },
        client_tags: ['etl'],
        roles: { hive: 'admin' },
      },
      backflow: { session: { 'hive.note': 'a=b, c' }, roles: { system: 'ALL' }, clientTags: ['prod'] },
    });
    await client.run(COMMENT, { traceparent: TRACEPARENT });
    expect(server.executed[0]?.sql).toBe(`${COMMENT} /*traceparent='${TRACEPARENT}'*/`);
    for (const { headers } of server.requests) {
      expect(headers).toMatchObject({
        traceparent: TRACEPARENT,
        'x-trino-trace-token': TRACEPARENT,
        'x-trino-user': 'ada',
        'x-trino-source': 'backflow/pg%2F%C3%A9%201/7',
        'x-trino-client-info': 'backflow/pg%2F%C3%A9%201/7',
        'x-trino-client-tags': 'backflow,etl,prod',
        'x-trino-session': 'query_priority=2,hive.note=a%3Db%2C%20c',
        'x-trino-role': 'hive=ROLE%7Badmin%7D,system=ALL',
        'x-trino-transaction-id': 'NONE',
      });
    }
  });

  it('puts nothing but a well-formed traceparent into a statement', async () => {
    await client.run(COMMENT, { traceparent: "*/ ; DROP TABLE x; /*'" });
    expect(server.executed[0]?.sql).toBe(COMMENT);
    expect(server.requests[0]?.headers.traceparent).toBeUndefined();
  });

  it('reports an error of a later page, also when rows came before it', async () => {
    const boom = new ModelError('JDBC_ERROR', "secret 'text'", 'EXTERNAL');
    server.faults.push((request, response) => {
      if (!request.path.includes('/executing/q1/2')) return false;
      failed(response, 'q1', boom);
      return true;
    });
    const error = await failureOf(client.rows(NAMES, row));
    expect(error).toBeInstanceOf(TrinoQueryError);
    expect(error.failure).toMatchObject({ class: 'transient', scope: 'object', code: 'JDBC_ERROR' });
    expect(error.message).not.toContain('secret');
  });

  it('reports an error in the very first answer', async () => {
    server.faults.push((_, response) => {
      failed(response, 'q9', new ModelError('QUERY_QUEUE_FULL', 'Too many queued queries', 'INSUFFICIENT_RESOURCES'));
      return true;
    });
    const { failure } = await failureOf(client.run(COMMENT));
    expect(failure).toMatchObject({ class: 'throttled', scope: 'target', code: 'QUERY_QUEUE_FULL' });
    expect(server.executed).toEqual([]);
  });

  it.each(['FAILED', 'RUNNING', 'CANCELED'])('does not take a last page in state %s for success', async (state) => {
    server.faults.push((request, response) => {
      if (!request.path.includes('/executing/')) return false;
      page(response, { id: 'q1', stats: { state } });
      return true;
    });
    const { failure } = await failureOf(client.run(COMMENT));
    expect(failure).toMatchObject({ class: 'transient', code: 'unfinished' });
  });

  it.each([502, 503, 504, 429])('asks again after HTTP %i, and runs the statement once', async (code) => {
    server.faults.push(status(code, 'POST'), status(code, 'GET'), status(code, 'GET'));
    await client.run(COMMENT);
    expect(server.executed.map(({ sql }) => sql)).toEqual([COMMENT]);
  });

  it('asks again when a connection breaks, and runs the statement once', async () => {
    server.faults.push(breaking('POST'), breaking('GET'), breaking('GET'));
    await client.run(COMMENT);
    expect(server.executed.map(({ sql }) => sql)).toEqual([COMMENT]);
  });

  it('gives up after some tries', async () => {
    for (let i = 0; i < 4; i += 1) server.faults.push(status(503, 'POST'));
    const { failure } = await failureOf(client.run(COMMENT));
    expect(failure).toMatchObject({ class: 'transient', scope: 'target', code: 'http-503' });
    expect(methods()).toEqual(['POST', 'POST', 'POST', 'POST']);
  });

  it('leaves the server alone for as long as it asks, when that is long', async () => {
    server.faults.push(status(429, 'POST', { 'Retry-After': '30' }));
    const { failure } = await failureOf(client.run(COMMENT));
    expect(failure).toMatchObject({ class: 'throttled', scope: 'target', code: 'http-429', retryAfterMs: 30_000 });
    expect(methods()).toEqual(['POST']);
  });

  it.each([
    [400, 'invalid'],
    [401, 'auth'],
    [403, 'auth'],
    [404, 'transient'],
    [406, 'invalid'],
    [302, 'invalid'],
    [500, 'transient'],
    [418, 'transient'],
  ])('reports HTTP %i as %s of the whole target', async (code, failureClass) => {
    server.faults.push(status(code, 'POST'));
    const { failure } = await failureOf(client.run(COMMENT));
    expect(failure).toMatchObject({ class: failureClass, scope: 'target', code: `http-${code}` });
  });

  it.each(['<html>proxy</html>', '', '{"id":7}', '[]', 'null'])('knows that %o is no answer of Trino', async (body) => {
    server.faults.push((_, response) => {
      response.writeHead(200).end(body);
      return true;
    });
    expect((await failureOf(client.run(COMMENT))).failure).toMatchObject({ code: 'no-trino-answer', scope: 'target' });
  });

  it('stops waiting and asks the server to stop when it is told to', async () => {
    server.holding = /COMMENT/;
    const abort = new AbortController();
    const running = failureOf(client.run(COMMENT, { signal: abort.signal }));
    await expect.poll(() => server.requests.some(({ path }) => path.includes('/executing/'))).toBe(true);
    abort.abort();
    expect((await running).failure).toMatchObject({ class: 'transient', scope: 'object', code: 'aborted' });
    await expect.poll(() => server.cancelled).toEqual([COMMENT]);
    expect(server.executed).toEqual([]);
  });

  it('cancels what takes too long', async () => {
    client.close();
    client = await open({}, { statementMs: 50 });
    server.holding = /COMMENT/;
    expect((await failureOf(client.run(COMMENT))).failure).toMatchObject({
      scope: 'object',
      code: 'statement-timeout',
    });
    await expect.poll(() => server.cancelled).toEqual([COMMENT]);
  });

  it('fails what is under way when it is closed, and everything after that', async () => {
    server.holding = /COMMENT/;
    const running = failureOf(client.run(COMMENT));
    await expect.poll(() => server.requests.some(({ path }) => path.includes('/executing/'))).toBe(true);
    client.close();
    expect((await running).failure).toMatchObject({ class: 'transient', scope: 'target', code: 'closed' });
    expect((await failureOf(client.run(COMMENT))).failure).toMatchObject({ code: 'closed' });
  });

  it('sends with the later statements of a template what an earlier one has set, and with no others', async () => {
    const state = client.newState();
    await client.run("SET SESSION query_max_run_time = '5s'", { state });
    await client.run('USE memory.app', { state });
    await client.run(COMMENT, { state });
    await client.run(COMMENT);
    const [inTemplate, after] = server.requests
      .filter(({ method, body }) => method === 'POST' && body.startsWith('COMMENT'))
      .map(({ headers }) => headers);
    expect(inTemplate).toMatchObject({
      'x-trino-session': 'query_max_run_time=5s',
      'x-trino-catalog': 'memory',
      'x-trino-schema': 'app',
    });
    expect(after?.['x-trino-session']).toBeUndefined();
    expect(after?.['x-trino-catalog']).toBeUndefined();
  });
});
