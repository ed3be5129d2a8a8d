import { z } from 'zod';
import { type HttpServer, startHttpServer } from '../../src/api/server.ts';
import { STREAMS } from '../../src/domain/subjects.ts';
import { createIntake } from '../../src/intake/ingest.ts';
import type { Intake } from '../../src/intake/intake.ts';
import { sign } from '../../src/intake/signature.ts';
import { SILENT_LOG } from '../../src/telemetry/log.ts';
import { createMetrics, type Metrics } from '../../src/telemetry/metrics.ts';
import { connectNats, type NatsLink } from '../../streams/nats/connection.ts';
import type { StoredMessage } from '../../streams/nats/contract.ts';
import { createPublisher } from '../../streams/nats/publisher.ts';
import { readOldestFirst } from '../../streams/nats/read-stream.ts';
import { ensureTopology } from '../../streams/nats/topology.ts';
import { emptyPorts } from './empty-ports.ts';
import { type NatsServer, startNatsServer } from './nats-server.ts';

/** The secret that the captured events are signed with. */
export const WEBHOOK_SECRET = 'whsec-Test_Key-1';

const answer = z.object({
  accepted: z.number(),
  ignored: z.number(),
  deadLettered: z.number(),
  items: z.array(
    z.looseObject({ result: z.string(), eventId: z.string().optional(), sequence: z.number().optional() }),
  ),
});
export type WebhookAnswer = z.infer<typeof answer>;

/** Intake with its HTTP port on a real nats-server, without any lane. */
export interface IntakeService {
  readonly nats: NatsServer;
  readonly link: NatsLink;
  readonly intake: Intake;
  readonly http: HttpServer;
  readonly metrics: Metrics;
  /** Posts as OpenMetadata does, signed unless a signature (or none: null) is given. */
  post(
    body: string | Uint8Array<ArrayBuffer>,
    signature?: string | null,
    headers?: Record<string, string>,
  ): Promise<Response>;
  /** Posts a signed body and expects the answer 200. */
  accept(body: unknown, headers?: Record<string, string>): Promise<WebhookAnswer>;
  /** All messages of a stream under a subject filter. */
  stored(stream: keyof typeof STREAMS, filter: string): Promise<readonly StoredMessage[]>;
  stop(): Promise<void>;
}

export interface IntakeServiceOptions {
  /** Services that a target reads. */
  readonly services: readonly string[];
  readonly holdMs?: number;
}

export async function startIntakeService(options: IntakeServiceOptions): Promise<IntakeService> {
  const nats = await startNatsServer();
  const link = await connectNats({ servers: nats.url, name: 'intake-test' });
  await ensureTopology(link);
  const metrics = createMetrics();
  const intake = createIntake({
    publisher: createPublisher(link, { maxMessages: 256, maxBytes: 16 * 1024 * 1024, timeoutMs: 2_000 }),
    maxPayload: link.maxPayload,
    targets: { reads: (service) => options.services.includes(service), revision: () => 3 },
    metrics,
    log: SILENT_LOG,
    clock: { now: () => Date.now() },
    holdMs: options.holdMs ?? 8_000,
  });
  const http = await startHttpServer({
    host: '127.0.0.1',
    port: 0,
    webhook: { intake, secrets: [WEBHOOK_SECRET], allowUnsigned: false },
    api: emptyPorts,
    metrics,
    readiness: () => ({ ready: link.connected(), checks: {} }),
    log: SILENT_LOG,
  });
  const post: IntakeService['post'] = (body, signature = sign(body, WEBHOOK_SECRET), headers = {}) =>
    fetch(`${http.url}/ingest/openmetadata`, {
      method: 'POST',
      body,
      headers: {
        'content-type': 'application/json',
        ...(signature === null ? {} : { 'x-om-signature': signature }),
        ...headers,
      },
    });
  return {
    nats,
    link,
    intake,
    http,
    metrics,
    post,
    accept: async (body, headers) => {
      const response = await post(typeof body === 'string' ? body : JSON.stringify(body), undefined, headers);
      const text = await response.text();
      if (response.status !== 200) throw new Error(`answered ${response.status}: ${text}`);
      return answer.parse(JSON.parse(text));
    },
    stored: (stream, filter) =>
      Array.fromAsync(readOldestFirst(link, { stream: STREAMS[stream], filter, limit: 10_000 })),
    stop: async () => {
      await http.close();
      await link.close();
      await nats.stop();
    },
  };
}
