import { spawn } from 'node:child_process';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createInterface } from 'node:readline';
import { gunzipSync } from 'node:zlib';
import { z } from 'zod';
import { decodeJsonTraces } from './otlp-json.ts';
import { decodeProtobufTraces } from './otlp-protobuf.ts';
import { type ReceivedSpan, receivedSpan } from './otlp-span.ts';

/** An OTLP/HTTP receiver: `POST /v1/traces` takes spans in JSON or protobuf, `GET /spans` gives them back. */
export interface OtlpReceiver {
  /** For OTEL_EXPORTER_OTLP_ENDPOINT. */
  readonly url: string;
  spans(): Promise<readonly ReceivedSpan[]>;
  /** Waits until the spans received fulfil the condition; rejects with what was received when they never do. */
  waitFor(condition: (spans: readonly ReceivedSpan[]) => boolean, timeoutMs?: number): Promise<readonly ReceivedSpan[]>;
  stop(): Promise<void>;
}

/** Serves in this process, on a free port of 127.0.0.1 unless one is given. */
export async function serveOtlp(port = 0): Promise<{ readonly url: string; stop(): Promise<void> }> {
  const spans: ReceivedSpan[] = [];
  const server = createServer((request, response) => {
    answer(request, response, spans).catch((error: unknown) => response.writeHead(400).end(String(error)));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('the receiver has no address');
  return {
    url: `http://127.0.0.1:${address.port}`,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Starts the receiver in a process of its own, so that what it decodes has really been sent. */
export async function startOtlpReceiver(): Promise<OtlpReceiver> {
  const main = new URL('./otlp-receiver-main.ts', import.meta.url).pathname;
  const child = spawn(process.execPath, [main], { stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const url = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout }).once('line', resolve);
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`the receiver ended with code ${code} before it was ready`)));
  });
  const spans = async () => z.array(receivedSpan).parse(await (await fetch(`${url}/spans`)).json());
  return {
    url,
    spans,
    waitFor: async (condition, timeoutMs = 10_000) => {
      const end = performance.now() + timeoutMs;
      for (;;) {
        const received = await spans();
        if (condition(received)) return received;
        if (performance.now() > end) {
          throw new Error(`spans received: ${received.map((span) => span.name).join(', ') || 'none'}`);
        }
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    },
    stop: async () => {
      child.kill('SIGTERM');
      await exited;
    },
  };
}

async function answer(request: IncomingMessage, response: ServerResponse, spans: ReceivedSpan[]): Promise<void> {
  if (request.method === 'GET' && request.url === '/spans') {
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(spans));
    return;
  }
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const raw = Buffer.concat(chunks);
  if (request.method === 'POST' && request.url === '/v1/traces') {
    const body = request.headers['content-encoding'] === 'gzip' ? gunzipSync(raw) : raw;
    const json = request.headers['content-type']?.startsWith('application/json') === true;
    spans.push(...(json ? decodeJsonTraces(body.toString('utf8')) : decodeProtobufTraces(body)));
    response.writeHead(200, { 'content-type': request.headers['content-type'] ?? '' }).end(json ? '{}' : '');
    return;
  }
  response.writeHead(404).end();
}
