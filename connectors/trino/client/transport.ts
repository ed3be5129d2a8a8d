import { readFile } from 'node:fs/promises';
import { Agent as HttpAgent, request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { ConnectorError } from '../../connector-error.ts';
import type { PemSource, TrinoConfig } from '../config.ts';

export interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** Path and query on the server of the connection: no request ever goes anywhere else. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal: AbortSignal;
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Requests to one server over a few kept sockets. Rejects with Node's own errors, or with a `ConnectorError` for an answer beyond bounds. */
export interface Transport {
  request(request: HttpRequest): Promise<HttpAnswer>;
  close(): void;
}

const SOCKETS = 4;
/** Without any byte for so long, a request has failed. The server answers a waiting GET after a second. */
const SILENCE_MS = 30_000;
/** A batch of reads answers in far less. */
const MAX_ANSWER_BYTES = 64 * 1024 * 1024;

/**
 * Node's own HTTP client and not `fetch`, which takes neither a certificate authority nor a client certificate.
 * Throws when a file of a certificate cannot be read.
 */
export async function openTransport(config: TrinoConfig): Promise<Transport> {
  const { host, port, https, tls, proxies } = config;
  const proxyEnv = {
    ...(proxies.http === undefined ? {} : { HTTP_PROXY: proxies.http }),
    ...(proxies.https === undefined ? {} : { HTTPS_PROXY: proxies.https }),
  };
  const common = { keepAlive: true, maxSockets: SOCKETS, proxyEnv };
  const [ca, cert, key] = await Promise.all([tls.ca, tls.cert, tls.key].map(pemOf));
  const agent = https
    ? new HttpsAgent({
        ...common,
        rejectUnauthorized: tls.verify,
        ...(ca === undefined ? {} : { ca }),
        ...(cert === undefined ? {} : { cert }),
        ...(key === undefined ? {} : { key }),
      })
    : new HttpAgent(common);
  const send = https ? httpsRequest : httpRequest;
  return {
    request: ({ method, path, headers, body, signal }) =>
      new Promise((resolve, reject) => {
        const sending = send({ host, port, path, method, agent, headers, signal, timeout: SILENCE_MS }, (answer) => {
          const chunks: Buffer[] = [];
          let bytes = 0;
          answer.on('error', reject);
          answer.on('data', (chunk: Buffer) => {
            bytes += chunk.length;
            if (bytes > MAX_ANSWER_BYTES) answer.destroy(tooLarge());
            else chunks.push(chunk);
          });
          answer.on('end', () => {
            const text = Buffer.concat(chunks).toString('utf8');
            resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: text });
          });
          answer.on('aborted', () => reject(Object.assign(new Error('the answer broke off'), { code: 'ECONNRESET' })));
        });
        sending.on('error', reject);
        sending.on('timeout', () => sending.destroy(Object.assign(new Error('no answer'), { code: 'ETIMEDOUT' })));
        sending.end(body);
      }),
    close: () => agent.destroy(),
  };
}

function tooLarge(): ConnectorError {
  const message = 'The answer of the server is larger than a page of a statement should ever be.';
  return new ConnectorError({ class: 'invalid', scope: 'object', code: 'answer-too-large', message });
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
