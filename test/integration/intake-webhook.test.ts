import { connect } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type HttpServer, startHttpServer } from '../../src/api/server.ts';
import type { IntakeMessage, IntakeReport } from '../../src/intake/intake.ts';
import { sign } from '../../src/intake/signature.ts';
import { SILENT_LOG } from '../../src/telemetry/log.ts';
import { createMetrics, type Metrics } from '../../src/telemetry/metrics.ts';
import { emptyPorts } from '../support/empty-ports.ts';
import { rawRequest } from '../support/raw-request.ts';
import { until } from '../support/until.ts';

const SECRET = 'whsec-Test_Key-1';
const STORED: IntakeReport = { stored: true, items: [{ result: 'published', eventId: 'e1', sequence: 1 }] };

let taken: IntakeMessage[];
let metrics: Metrics;
let report: () => Promise<IntakeReport>;
const running: HttpServer[] = [];

beforeEach(() => {
  taken = [];
  metrics = createMetrics();
  report = async () => STORED;
});

afterEach(async () => {
  await Promise.all(running.splice(0).map((server) => server.close()));
});

interface Setting {
  readonly host?: string;
  readonly secrets?: readonly string[];
  readonly allowUnsigned?: boolean;
  readonly roomWaitMs?: number;
}

async function serve({
  host = '127.0.0.1',
  secrets = [SECRET],
  allowUnsigned = false,
  roomWaitMs = 8_000,
}: Setting = {}) {
  const intake = {
    ingest: (message: IntakeMessage) => {
      taken.push(message);
      return report();
    },
  };
  const server = await startHttpServer({
    host,
    port: 0,
    webhook: { intake, secrets, allowUnsigned, roomWaitMs },
    api: emptyPorts,
    metrics,
    readiness: () => ({ ready: true, checks: {} }),
    log: SILENT_LOG,
  });
  running.push(server);
  const post = (body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}, method = 'POST') =>
    fetch(`http://127.0.0.1:${server.port}/ingest/openmetadata`, { method, body, headers });
  const signed = (body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}, method = 'POST') =>
    post(body, { 'content-type': 'application/json', 'x-om-signature': sign(body, SECRET), ...headers }, method);
  return { server, post, signed };
}

const counted = async (answer: string) =>
  Number(new RegExp(`answer="${answer}"} (\\d+)`).exec(await metrics.text())?.[1] ?? 0);

describe('POST /ingest/openmetadata', () => {
  it('takes a signed body byte for byte, with the trace it came in', async () => {
    const { signed } = await serve();
    const body = '{"id": "e1",\n "text":"ü😀\\ud800"}';
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    const response = await signed(body, { traceparent, tracestate: 'a=1' });
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({
      accepted: 1,
      ignored: 0,
      deadLettered: 0,
      items: STORED.stored && STORED.items,
    });
    expect(taken).toHaveLength(1);
    expect(taken[0]).toMatchObject({ source: 'webhook', headers: { traceparent, tracestate: 'a=1' } });
    expect(Buffer.from(taken[0]?.body ?? []).toString()).toBe(body);
    expect(await counted('accepted')).toBe(1);
  });

  it.each([
    'application/json; charset=utf-8',
    'text/plain',
    'application/x-www-form-urlencoded',
    'not a type',
    'a/b;;=',
    'multipart/form-data',
  ])('takes a body called %s', async (type) => {
    const { signed } = await serve();
    expect((await signed('This is a test message', { 'content-type': type })).status).toBe(200);
    expect(Buffer.from(taken[0]?.body ?? []).toString()).toBe('This is a test message');
  });

  it('takes a body without a content type, an empty body, and PUT', async () => {
    const { signed, post } = await serve();
    const bytes = new Uint8Array(Buffer.from('{"id":"e1"}'));
    expect((await post(bytes, { 'x-om-signature': sign(bytes, SECRET) })).status).toBe(200);
    expect((await signed('')).status).toBe(200);
    expect((await signed('{}', {}, 'PUT')).status).toBe(200);
    expect(taken.map((message) => message.body.byteLength)).toEqual([11, 0, 2]);
  });

  it('takes a body in chunks, of no length known before', async () => {
    const { server } = await serve();
    const head = `POST /ingest/openmetadata HTTP/1.1\r\nHost: x\r\nConnection: close\r\nTransfer-Encoding: chunked\r\nX-OM-Signature: ${sign('{}', SECRET)}\r\n\r\n`;
    expect(await rawRequest(server.port, head, '1\r\n{\r\n', '1\r\n}\r\n0\r\n\r\n')).toMatch(/^HTTP\/1\.1 200/);
  });

  it.each([
    ['none', undefined],
    ['of another secret', sign('{}', 'other')],
    ['of another body', sign('{ }', SECRET)],
    ['in hexadecimal', `sha256=${'0'.repeat(64)}`],
  ])('refuses a signature: %s', async (_what, header) => {
    const { post } = await serve();
    const response = await post('{}', header === undefined ? {} : { 'x-om-signature': header });
    expect([response.status, await response.json()]).toMatchObject([401, { error: 'unauthorized' }]);
    expect(taken).toEqual([]);
    expect(await counted('unauthorized')).toBe(1);
  });

  it('takes signatures of every secret that is valid now', async () => {
    const { signed } = await serve({ secrets: ['newer', SECRET] });
    expect((await signed('{}')).status).toBe(200);
  });

  it('refuses everything without a secret, unless it is allowed and the service is bound to loopback', async () => {
    const closed = await serve({ secrets: [] });
    const refusal = await closed.signed('{}');
    expect([refusal.status, await refusal.text()]).toMatchObject([
      401,
      expect.stringContaining('BACKFLOW_WEBHOOK_SECRETS'),
    ]);
    const allowed = await serve({ secrets: [], allowUnsigned: true });
    expect((await allowed.post('{}')).status).toBe(200);
    const reachable = await serve({ secrets: [], allowUnsigned: true, host: '0.0.0.0' });
    expect((await reachable.post('{}')).status).toBe(401);
    const withSecret = await serve({ allowUnsigned: true });
    expect((await withSecret.post('{}')).status).toBe(401);
    expect(taken).toHaveLength(1);
  });

  it('takes nothing unsigned from a web page', async () => {
    const { post } = await serve({ secrets: [], allowUnsigned: true });
    expect((await post('{}', { origin: 'https://evil.example' })).status).toBe(401);
  });

  it('refuses a body above 32 MB, whether its length is known before or not, and counts it', async () => {
    const { server } = await serve();
    const head = `POST /ingest/openmetadata HTTP/1.1\r\nHost: x\r\nConnection: close\r\nX-OM-Signature: ${sign('', SECRET)}\r\n`;
    const announced = await rawRequest(server.port, `${head}Content-Length: ${33 * 1024 * 1024}\r\n\r\n`);
    expect(announced).toMatch(/^HTTP\/1\.1 413/);
    const size = 33 * 1024 * 1024;
    const sent = await rawRequest(
      server.port,
      `${head}Transfer-Encoding: chunked\r\n\r\n${size.toString(16)}\r\n`,
      Buffer.alloc(size, 32),
    ).catch((error: unknown) => String(error));
    // The server may close while the client still sends; then the client sees its own failed write.
    expect(sent).toMatch(/^HTTP\/1\.1 413|EPIPE|ECONNRESET/);
    expect(await counted('too-large')).toBe(2);
    expect(taken).toEqual([]);
  });

  it('answers 503 when the message could not be stored, and counts it', async () => {
    report = async () => ({ stored: false, reason: 'NATS did not take the message in time' });
    const { signed } = await serve();
    const response = await signed('{}');
    expect([response.status, await response.json()]).toEqual([
      503,
      { error: 'unavailable', message: 'NATS did not take the message in time' },
    ]);
    expect(await counted('unavailable')).toBe(1);
  });

  it('answers 500 without details when our own code fails, and goes on', async () => {
    report = async () => {
      throw new Error('nats://u:hunter2@host');
    };
    const { signed } = await serve();
    const response = await signed('{}');
    expect(response.status).toBe(500);
    expect(await response.text()).not.toContain('hunter2');
    expect(await counted('error')).toBe(1);
    report = async () => STORED;
    expect((await signed('{}')).status).toBe(200);
  });

  it('bounds the bodies in memory, and gives the room of a broken upload back', async () => {
    const { server, signed } = await serve({ roomWaitMs: 50 });
    const head = `POST /ingest/openmetadata HTTP/1.1\r\nHost: x\r\nX-OM-Signature: ${sign('', SECRET)}\r\nContent-Length: ${32 * 1024 * 1024}\r\n\r\n`;
    const uploads = [1, 2].map(() => {
      const socket = connect(server.port, '127.0.0.1');
      socket.write(head);
      return socket;
    });
    await until(async () => (await signed('{}')).status === 503);
    expect(await counted('unavailable')).toBe(1);
    for (const socket of uploads) socket.destroy();
    await until(async () => (await signed('{}')).status === 200);
  });

  it('lets a running request end before it closes', async () => {
    let finish: (value: IntakeReport) => void = () => {};
    const { server, signed } = await serve();
    const started = new Promise<void>((resolve) => {
      report = () => {
        resolve();
        return new Promise((done) => {
          finish = done;
        });
      };
    });
    const response = signed('{}');
    await started;
    const closed = server.close();
    finish(STORED);
    expect((await response).status).toBe(200);
    await closed;
  });
});
