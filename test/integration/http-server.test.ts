import { afterEach, describe, expect, it } from 'vitest';
import type { ApiPorts } from '../../src/api/ports.ts';
import { type HttpServer, type HttpServerOptions, startHttpServer } from '../../src/api/server.ts';
import { SILENT_LOG } from '../../src/telemetry/log.ts';
import { createMetrics } from '../../src/telemetry/metrics.ts';
import { rawRequest } from '../support/raw-request.ts';

const running: HttpServer[] = [];

afterEach(async () => {
  await Promise.all(running.splice(0).map((server) => server.close()));
});

const ports: ApiPorts = {
  lanes: async () => [{ target: 'pg_sales', lag: 3 }],
  runs: async (query) => ({ query: { ...query } }),
  explain: async (fqn) => (fqn === 'pg_sales.shop' ? { fqn } : undefined),
  connectors: async () => [],
  deadLetters: async () => {
    throw new Error('postgres://u:hunter2@db is away');
  },
  pause: async (what) => ({ paused: { ...what } }),
  resume: async (what) => ('channel' in what && what.channel === 'nobody' ? undefined : { resumed: { ...what } }),
  release: async (what) => ({ released: { ...what } }),
};

async function serve(changes: Partial<HttpServerOptions> = {}): Promise<HttpServer> {
  const server = await startHttpServer({
    host: '127.0.0.1',
    port: 0,
    webhook: {
      intake: { ingest: async () => ({ stored: true, items: [] }) },
      secrets: [],
      allowUnsigned: false,
    },
    api: ports,
    metrics: createMetrics(),
    readiness: () => ({ ready: true, checks: { nats: 'ok' } }),
    log: SILENT_LOG,
    ...changes,
  });
  running.push(server);
  return server;
}

describe('the HTTP port', () => {
  it('answers probes, metrics and the start page', async () => {
    const { url } = await serve();
    expect((await fetch(`${url}/livez`)).status).toBe(200);
    const ready = await fetch(`${url}/readyz`);
    expect([ready.status, await ready.json()]).toEqual([200, { ready: true, checks: { nats: 'ok' } }]);
    const metrics = await fetch(`${url}/metrics`);
    expect(metrics.headers.get('content-type')).toMatch(/^text\/plain/);
    expect(await metrics.text()).toContain('backflow_outcomes_total');
    const page = await fetch(url);
    expect(page.headers.get('content-type')).toMatch(/^text\/html/);
    expect(await page.text()).toContain('/ingest/openmetadata');
  });

  it('is not ready while a part is not, and still lives', async () => {
    const { url } = await serve({ readiness: () => ({ ready: false, checks: { nats: 'disconnected' } }) });
    expect((await fetch(`${url}/readyz`)).status).toBe(503);
    expect((await fetch(`${url}/livez`)).status).toBe(200);
  });

  it('answers a place that does not exist with JSON', async () => {
    const { url } = await serve();
    const response = await fetch(`${url}/nothing`);
    expect([response.status, await response.json()]).toMatchObject([404, { error: 'not-found' }]);
  });

  it('rejects an address that is taken', async () => {
    const { port } = await serve();
    await expect(serve({ port })).rejects.toMatchObject({ code: 'EADDRINUSE' });
  });
});

describe('the read-only API', () => {
  it('answers from its ports, with parsed and bounded parameters', async () => {
    const { url } = await serve();
    expect(await (await fetch(`${url}/api/v1/lanes`)).json()).toEqual([{ target: 'pg_sales', lag: 3 }]);
    expect(await (await fetch(`${url}/api/v1/runs?limit=5&status=failed`)).json()).toEqual({
      query: { limit: 5, status: 'failed' },
    });
    expect(await (await fetch(`${url}/api/v1/runs`)).json()).toEqual({ query: { limit: 100 } });
  });

  it.each([
    ['runs?limit=0', 'limit'],
    ['runs?limit=x', 'limit'],
    ['runs?status=lost', 'status'],
    ['runs?statuss=failed', 'statuss'],
    ['explain', 'fqn'],
    ['lanes?x=1', 'x'],
  ])('names the wrong parameter of %s', async (path, name) => {
    const { url } = await serve();
    const response = await fetch(`${url}/api/v1/${path}`);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: 'bad-query', message: expect.stringContaining(name) });
  });

  it('tells unknown assets and places apart from failures, and shows no detail of a failure', async () => {
    const { url } = await serve();
    expect((await fetch(`${url}/api/v1/explain?fqn=pg_sales.shop`)).status).toBe(200);
    expect((await fetch(`${url}/api/v1/explain?fqn=nothing`)).status).toBe(404);
    expect((await fetch(`${url}/api/v1/nothing`)).status).toBe(404);
    const failed = await fetch(`${url}/api/v1/dlq`);
    expect(failed.status).toBe(500);
    expect(await failed.text()).not.toContain('hunter2');
  });

  it('describes itself in OpenAPI, every route with its parameters', async () => {
    const { url } = await serve();
    const document = await (await fetch(`${url}/api/v1/openapi.json`)).json();
    expect(document).toMatchObject({
      openapi: '3.1.0',
      paths: { '/api/v1/explain': { get: { parameters: [{ name: 'fqn', in: 'query', required: true }] } } },
    });
  });

  const post = (url: string, path: string, body: string, type = 'application/json') =>
    fetch(`${url}/api/v1/${path}`, { method: 'POST', headers: { 'content-type': type }, body });

  it('pauses, resumes and releases', async () => {
    const { url } = await serve();
    expect(await (await post(url, 'pause', '{"target":"pg","reason":"repair"}')).json()).toEqual({
      paused: { target: 'pg', reason: 'repair' },
    });
    expect(await (await post(url, 'pause', '{"channel":"docs"}')).json()).toEqual({ paused: { channel: 'docs' } });
    expect(await (await post(url, 'release', '{"channel":"docs"}')).json()).toEqual({ released: { channel: 'docs' } });
    expect((await post(url, 'resume', '{"channel":"nobody"}')).status).toBe(404);
  });

  it.each([
    ['pause', '{}', 400],
    ['pause', '{"target":"a","channel":"b"}', 400],
    ['release', '{"target":"a"}', 400],
    ['release', 'no JSON', 400],
    ['release', `{"channel":"${'x'.repeat(70_000)}"}`, 400],
  ])('refuses %s of %s', async (path, body, status) => {
    const { url } = await serve();
    expect((await post(url, path, body)).status).toBe(status);
  });

  it('takes nothing from what a page of another site could send: forms, texts, a read that changes something', async () => {
    const { url } = await serve();
    for (const type of ['text/plain', 'application/x-www-form-urlencoded'])
      expect((await post(url, 'release', '{"channel":"docs"}', type)).status).toBeGreaterThanOrEqual(400);
    expect((await fetch(`${url}/api/v1/release?channel=docs`)).status).toBe(404);
  });

  it('is refused when the service is bound to more than loopback, and to a name that is not this machine', async () => {
    const open = await serve({ host: '0.0.0.0' });
    expect((await fetch(`http://127.0.0.1:${open.port}/api/v1/lanes`)).status).toBe(403);
    expect((await fetch(`http://127.0.0.1:${open.port}/livez`)).status).toBe(200);
    const { port } = await serve();
    const rebound = await rawRequest(
      port,
      'GET /api/v1/lanes HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n',
    );
    expect(rebound).toMatch(/^HTTP\/1\.1 403/);
  });
});
