import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { startTelemetry, type Telemetry } from '../../src/telemetry/start.ts';
import { type NatsServer, startNatsServer } from '../support/nats-server.ts';
import { type OtlpReceiver, startOtlpReceiver } from '../support/otlp-receiver.ts';
import { type PostgresServer, startPostgres } from '../support/postgres-server.ts';
import { createTables, docsConfig } from '../support/shop-database.ts';
import { startTestService, type TestService } from '../support/test-service.ts';
import { appliedProblems, descriptionEvent, senderContext } from '../support/traced-changes.ts';

// The mutant: what is published carries no trace context.
vi.mock('../../streams/nats/trace-headers.ts', async (original) => ({
  ...(await original<typeof import('../../streams/nats/trace-headers.ts')>()),
  injectTrace: () => ({}),
}));

describe('the check of P9, with the header injection at publish removed', () => {
  let receiver: OtlpReceiver;
  let nats: NatsServer;
  let postgres: PostgresServer;
  let telemetry: Telemetry;
  let replica: TestService;

  beforeAll(async () => {
    receiver = await startOtlpReceiver();
    process.env.OTEL_EXPORTER_OTLP_ENDPOINT = receiver.url;
    telemetry = await startTelemetry(process.env);
    [nats, postgres] = await Promise.all([startNatsServer(), startPostgres()]);
    await createTables(postgres, 1);
    replica = await startTestService({ natsUrl: nats.url, config: docsConfig(postgres) });
    await replica.lanes();
  });

  afterAll(async () => {
    await replica?.stop();
    await telemetry?.shutdown();
    await Promise.all([postgres?.stop(), nats?.stop(), receiver?.stop()]);
    delete process.env.OTEL_EXPORTER_OTLP_ENDPOINT;
  });

  it('finds the trace broken', async () => {
    const sender = senderContext();
    const event = descriptionEvent(['pg_sales', 'shop', 'public', 't0'], 'written all the same');
    await replica.post(event.body, { traceparent: sender.traceparent });
    const [run] = await replica.outcomes([event.id]);
    expect(run?.status).toBe('applied');
    await telemetry.flush();
    const spans = await receiver.waitFor((all) => all.some((span) => span.name === 'outcome'));
    expect(appliedProblems(spans, sender)).toContain('no write span');
  });
});
