import { type FastifyInstance, fastify } from 'fastify';
import { z } from 'zod';
import { BODY_LIMIT, registerWebhook, type WebhookOptions } from '../intake/webhook.ts';
import type { Log } from '../telemetry/log.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { API_ACTIONS } from './actions.ts';
import { listeningAt } from './listening-url.ts';
import { isLoopbackHost, isLoopbackHostHeader } from './loopback.ts';
import { openApiDocument } from './openapi.ts';
import type { ApiPorts, Readiness } from './ports.ts';
import { API_PREFIX, API_ROUTES } from './routes.ts';
import { START_PAGE } from './start-page.ts';

export interface HttpServerOptions {
  /** Address to listen on; the API and unsigned webhooks exist on loopback only. */
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  readonly webhook: Pick<WebhookOptions, 'intake' | 'secrets' | 'allowUnsigned' | 'roomWaitMs'>;
  readonly api: ApiPorts;
  readonly metrics: Metrics;
  readonly readiness: () => Readiness;
  readonly log: Log;
}

export interface HttpServer {
  readonly url: string;
  readonly port: number;
  /** Takes no new requests, lets the running ones end. */
  close(): Promise<void>;
}

/** Starts the one HTTP port of the service: webhook, API, start page, probes and metrics. Rejects when the address cannot be had. */
export async function startHttpServer(options: HttpServerOptions): Promise<HttpServer> {
  const loopback = isLoopbackHost(options.host);
  const server = fastify({
    logger: false,
    bodyLimit: BODY_LIMIT,
    // A sender that stalls must not hold its share of memory for ever; the longest hold for NATS is 8 s.
    requestTimeout: 30_000,
    forceCloseConnections: 'idle',
    // The catalogue sends once: what still arrives on an open connection while the service ends is taken.
    return503OnClosing: false,
  });
  registerWebhook(server, { ...options.webhook, loopback, metrics: options.metrics, log: options.log });
  registerProbes(server, options);
  registerApi(server, options, loopback);
  server.addHook('onSend', async (_request, reply) => {
    reply.header('x-content-type-options', 'nosniff');
    reply.header('content-security-policy', "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'");
  });
  server.get('/', (_request, reply) => reply.type('text/html; charset=utf-8').send(START_PAGE));
  server.setNotFoundHandler((_request, reply) =>
    reply.code(404).send({ error: 'not-found', message: 'nothing is here; / says where to look' }),
  );

  await server.listen({ host: options.host, port: options.port });
  return { ...listeningAt(server.server.address(), options), close: () => server.close() };
}

function registerProbes(server: FastifyInstance, { readiness, metrics }: HttpServerOptions): void {
  server.get('/livez', (_request, reply) => reply.type('text/plain').send('ok\n'));
  server.get('/readyz', (_request, reply) => {
    const state = readiness();
    return reply.code(state.ready ? 200 : 503).send(state);
  });
  server.get('/metrics', async (_request, reply) => reply.type(metrics.contentType).send(await metrics.text()));
}

/** What the server itself refuses of a body. */
const badBody = z.object({ statusCode: z.number().min(400).max(499) });

function registerApi(server: FastifyInstance, { api, log }: HttpServerOptions, loopback: boolean): void {
  server.register(
    async (scope) => {
      scope.addHook('onRequest', async (request, reply) => {
        if (loopback && isLoopbackHostHeader(request.headers.host)) return;
        return reply.code(403).send({
          error: 'loopback-only',
          message:
            'the API has no authentication yet and is served only when the service is bound to 127.0.0.1 and addressed so',
        });
      });
      scope.setErrorHandler((error, _request, reply) => {
        if (error instanceof z.ZodError) {
          const problems = error.issues.map((issue) => `${issue.path.join('.') || 'request'}: ${issue.message}`);
          return reply.code(400).send({ error: 'bad-query', message: problems.join('; ') });
        }
        if (badBody.safeParse(error).success)
          return reply.code(400).send({ error: 'bad-body', message: 'the body is no JSON, or too large' });
        log.error({ err: error }, 'API request failed');
        return reply
          .code(500)
          .send({ error: 'failed', message: 'the request could not be answered; the log says why' });
      });
      scope.get('/openapi.json', () => openApiDocument());
      for (const route of API_ROUTES) {
        scope.get(route.path, async (request, reply) => {
          const answer = await route.answer(request.query, api);
          if (answer === undefined)
            return reply.code(404).send({ error: 'unknown', message: 'nothing is known of it' });
          return reply.type('application/json; charset=utf-8').send(JSON.stringify(answer));
        });
      }
      for (const action of API_ACTIONS) {
        scope.post(action.path, { bodyLimit: 65_536 }, async (request, reply) => {
          // A page of another site could send a form here from a browser on this machine, but no JSON.
          if (!/^application\/json\b/.test(request.headers['content-type'] ?? ''))
            return reply.code(415).send({ error: 'no-json', message: 'send a JSON body as application/json' });
          const answer = await action.run(request.body, api);
          if (answer === undefined)
            return reply.code(404).send({ error: 'unknown', message: 'nothing of that name is configured' });
          return reply.type('application/json; charset=utf-8').send(JSON.stringify(answer));
        });
      }
      scope.all('/*', (_request, reply) =>
        reply.code(404).send({ error: 'not-found', message: `see ${API_PREFIX}/openapi.json for what there is` }),
      );
    },
    { prefix: API_PREFIX },
  );
}
