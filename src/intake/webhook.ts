import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Log } from '../telemetry/log.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { createByteGate, type GateTicket } from './byte-gate.ts';
import type { Intake, IntakeItem } from './intake.ts';
import { SIGNATURE_HEADER, verifySignature } from './signature.ts';

export const WEBHOOK_PATH = '/ingest/openmetadata';

/** Largest body in bytes. */
export const BODY_LIMIT = 32 * 1024 * 1024;

/** Bytes of all bodies in memory at once. */
const BODIES_LIMIT = 2 * BODY_LIMIT;

export interface WebhookOptions {
  readonly intake: Intake;
  /** All secrets that are valid now; none means that nothing can be signed right. */
  readonly secrets: readonly string[];
  /** Takes unsigned bodies while no secret is configured. Has an effect only when `loopback` is true. */
  readonly allowUnsigned: boolean;
  /** The server is bound to a loopback address. */
  readonly loopback: boolean;
  readonly metrics: Metrics;
  readonly log: Log;
  /** Time that a body may wait for room, milliseconds. */
  readonly roomWaitMs?: number;
}

/**
 * `POST /ingest/openmetadata`: one change event as OpenMetadata's webhook sends it.
 *
 * The catalogue sends an event once and takes any 2xx as success, so a refusal is a loss: only what is not signed right (401), what is
 * too large (413) and what could not be stored (503) is refused, and each refusal is counted.
 */
export function registerWebhook(server: FastifyInstance, options: WebhookOptions): void {
  const { intake, metrics, log } = options;
  const unsignedAllowed = options.secrets.length === 0 && options.allowUnsigned && options.loopback;
  const gate = createByteGate(BODIES_LIMIT);
  const tickets = new WeakMap<FastifyRequest, GateTicket>();

  const refuseUnsigned = (reply: FastifyReply, why: string) => {
    metrics.intakeAnswered('webhook', 'unauthorized');
    log.warn({ why }, 'webhook request refused');
    return reply.code(401).send({ error: 'unauthorized', message: why });
  };

  server.register(async (scope) => {
    // The signature is over the exact bytes, and a body that is no JSON is an event too (1.6 sends its test message as text).
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: BODY_LIMIT }, (_request, body, done) => {
      done(null, body);
    });

    scope.addHook('onRequest', async (request, reply) => {
      // Whatever the sender calls it, the body is taken as bytes; a content type that cannot be read would cost an event.
      request.headers['content-type'] = 'application/octet-stream';
      if (!unsignedAllowed) {
        if (options.secrets.length === 0) {
          return refuseUnsigned(
            reply,
            'no webhook secret is configured: set BACKFLOW_WEBHOOK_SECRETS to the alert’s secret key',
          );
        }
        if (request.headers[SIGNATURE_HEADER] === undefined) {
          return refuseUnsigned(
            reply,
            'the header X-OM-Signature is missing: set a secret key on the alert’s destination',
          );
        }
      } else if (request.headers.origin !== undefined) {
        return refuseUnsigned(reply, 'unsigned requests from a web page are not accepted');
      }
      const ticket = await gate.enter(announcedBytes(request), options.roomWaitMs ?? 8_000);
      if (ticket === undefined) {
        metrics.intakeAnswered('webhook', 'unavailable');
        return reply.code(503).send({ error: 'busy', message: 'too many large requests at once' });
      }
      tickets.set(request, ticket);
      // Covers an answer that was sent, an aborted request and a lost connection alike.
      reply.raw.once('close', () => ticket.release());
    });

    scope.setErrorHandler((error, _request, reply) => {
      const status = statusOf(error);
      const answer = status === 413 ? 'too-large' : 'error';
      metrics.intakeAnswered('webhook', answer);
      log.warn({ err: error, status }, 'webhook request failed');
      return reply
        .code(status)
        .send(
          status === 413
            ? { error: 'too-large', message: `the body is larger than ${BODY_LIMIT} bytes` }
            : { error: 'request-failed', message: 'the request could not be read' },
        );
    });

    scope.route({
      method: ['POST', 'PUT'],
      url: WEBHOOK_PATH,
      handler: async (request, reply) => {
        const body = request.body instanceof Uint8Array ? request.body : new Uint8Array();
        if (!unsignedAllowed) {
          const verdict = verifySignature(body, single(request.headers[SIGNATURE_HEADER]), options.secrets);
          if (verdict !== 'valid') return refuseUnsigned(reply, `the signature is ${verdict}`);
        }
        const report = await intake.ingest({ body, source: 'webhook', headers: traceHeaders(request) });
        if (!report.stored) {
          metrics.intakeAnswered('webhook', 'unavailable');
          return reply.code(503).send({ error: 'unavailable', message: report.reason });
        }
        metrics.intakeAnswered('webhook', 'accepted');
        return reply.code(200).send(answerOf(report.items));
      },
    });
  });
}

function answerOf(items: readonly IntakeItem[]) {
  const of = (...results: readonly IntakeItem['result'][]) =>
    items.filter((item) => results.includes(item.result)).length;
  return {
    accepted: of('published', 'duplicate', 'no-target'),
    ignored: of('other-entity', 'test-message'),
    deadLettered: of('unreadable'),
    items,
  };
}

/** Without a length the body may have any size up to the limit. */
function announcedBytes(request: FastifyRequest): number {
  const length = Number(request.headers['content-length']);
  return Number.isSafeInteger(length) && length >= 0 ? Math.min(length, BODY_LIMIT) : BODY_LIMIT;
}

function traceHeaders(request: FastifyRequest): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const name of ['traceparent', 'tracestate']) {
    const value = single(request.headers[name]);
    if (value !== undefined) headers[name] = value;
  }
  return headers;
}

function single(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value.join(',') : value;
}

function statusOf(error: unknown): number {
  const status = typeof error === 'object' && error !== null && 'statusCode' in error ? error.statusCode : undefined;
  return typeof status === 'number' && status >= 400 ? status : 500;
}
