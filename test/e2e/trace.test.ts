import { spawn } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTelemetry, type Telemetry } from '../../src/telemetry/start.ts';
import { type NatsServer, startNatsServer } from '../support/nats-server.ts';
import { type OtlpReceiver, startOtlpReceiver } from '../support/otlp-receiver.ts';
import { type PostgresServer, startPostgres } from '../support/postgres-server.ts';
import { createTables, docsConfig } from '../support/shop-database.ts';
import { startTestService, type TestService } from '../support/test-service.ts';
import { chainOf, traceProblems } from '../support/trace-chain.ts';
import { appliedProblems, CHAIN, descriptionEvent, senderContext } from '../support/traced-changes.ts';
import { until } from '../support/until.ts';

const TABLES = 80;

describe('P9 one unbroken trace from change to write', () => {
  let receiver: OtlpReceiver;
  let nats: NatsServer;
  let postgres: PostgresServer;
  let telemetry: Telemetry;
  let replica: TestService;
  let config: string;

  beforeAll(async () => {
    receiver = await startOtlpReceiver();
    process.env.OTEL_EXPORTER_OTLP_ENDPOINT = receiver.url;
    process.env.OTEL_BSP_SCHEDULE_DELAY = '50';
    telemetry = await startTelemetry(process.env);
    [nats, postgres] = await Promise.all([startNatsServer(), startPostgres()]);
    await createTables(postgres, TABLES);
    config = docsConfig(postgres);
    replica = await startTestService({ natsUrl: nats.url, config });
    await replica.lanes();
  });

  afterAll(async () => {
    await replica?.stop();
    await telemetry?.shutdown();
    await Promise.all([postgres?.stop(), nats?.stop(), receiver?.stop()]);
    delete process.env.OTEL_EXPORTER_OTLP_ENDPOINT;
    delete process.env.OTEL_BSP_SCHEDULE_DELAY;
  });

  const table = (i: number) => ['pg_sales', 'shop', 'public', `t${i}`] as const;

  async function spansOf(...traceIds: readonly string[]) {
    await telemetry.flush();
    return receiver.waitFor((spans) =>
      traceIds.every((id) => spans.some((span) => span.traceId === id && span.name === 'outcome')),
    );
  }

  it('a batch of one: the driver’s span stands below the write', async () => {
    const sender = senderContext();
    const event = descriptionEvent(table(0), 'alone');
    await replica.post(event.body, { traceparent: sender.traceparent });
    await replica.outcomes([event.id]);
    const spans = await spansOf(sender.traceId);
    expect(appliedProblems(spans, sender)).toEqual([]);
    const write = spans.find((span) => span.traceId === sender.traceId && span.name === 'write');
    expect(write?.links).toEqual([]);
    expect(spans.some((span) => span.parentSpanId === write?.spanId && span.traceId === sender.traceId)).toBe(true);
  });

  it('a batch of at least 20 changes: each has its own trace, and all writes link to the one batch span', async () => {
    await replica.service.lanes.pause('pg_sales', true);
    await replica.lanes('paused');
    const senders = Array.from({ length: 75 }, () => senderContext());
    const events = senders.map((_, i) => descriptionEvent(table(i), `text ${i}`));
    for (const [i, event] of events.entries())
      await replica.post(event.body, { traceparent: senders[i]?.traceparent ?? '' });
    await replica.service.lanes.pause('pg_sales', false);
    const runs = await replica.outcomes(events.map((event) => event.id));
    expect(new Set(runs.map((run) => run.status))).toEqual(new Set(['applied']));
    const spans = await spansOf(...senders.map((sender) => sender.traceId));
    for (const sender of senders) expect(appliedProblems(spans, sender)).toEqual([]);
    const ours = new Set(senders.map((sender) => sender.traceId));
    const links = spans
      .filter((span) => span.name === 'write' && ours.has(span.traceId))
      .flatMap((span) => span.links.map((link) => link.spanId));
    const sizes = [...Map.groupBy(links, (id) => id).values()].map((group) => group.length);
    expect(Math.max(...sizes)).toBeGreaterThanOrEqual(20);
  });

  it('a superseded change: its trace ends in its outcome', async () => {
    const older = descriptionEvent(table(1), 'older');
    const newer = descriptionEvent(table(1), 'newer');
    await replica.post(newer.body);
    await replica.outcomes([newer.id]);
    const sender = senderContext();
    await replica.post(older.body, { traceparent: sender.traceparent });
    const [run] = await replica.outcomes([older.id]);
    expect(run?.status).toBe('superseded');
    expect(run?.traceId).toBe(sender.traceId);
    const spans = await spansOf(sender.traceId);
    expect(traceProblems(spans, { traceId: sender.traceId, incomingSpanId: sender.spanId })).toEqual([]);
    const outcome = spans.find((span) => span.traceId === sender.traceId && span.name === 'outcome');
    expect(outcome?.attributes['backflow.status']).toBe('superseded');
    if (outcome !== undefined)
      expect(chainOf(spans, outcome)).toEqual(['intake', 'CHANGES publish', 'CHANGES process', 'match', 'outcome']);
  });

  it('a redelivered change: given back by one replica, written by the next, in one trace', async () => {
    const sender = senderContext();
    const event = descriptionEvent(table(2), 'after the redelivery');
    await postgres.crash();
    await replica.post(event.body, { traceparent: sender.traceparent });
    await until(async () => (await replica.service.lanes.rows()).some((row) => row.held > 0));
    await replica.stop();
    await postgres.restart();
    replica = await startTestService({ natsUrl: nats.url, config });
    const [run] = await replica.outcomes([event.id]);
    expect(run?.status).toBe('applied');
    const spans = await spansOf(sender.traceId);
    expect(appliedProblems(spans, sender)).toEqual([]);
    const counts = spans
      .filter((span) => span.traceId === sender.traceId && span.name === 'CHANGES process')
      .map((span) => span.attributes['backflow.delivery_count']);
    expect(counts.map(Number).sort()).toEqual([1, 2]);
  });
});

describe('the demo under an OpenTelemetry endpoint', () => {
  it('sends for every applied change one tree whose root is the edit in the catalogue', async () => {
    const receiver = await startOtlpReceiver();
    try {
      const report = await runDemo({ OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url });
      const applied = report.changes.filter((change) => change.status === 'applied');
      expect(report.ok).toBe(true);
      expect(applied.length).toBeGreaterThanOrEqual(9);
      const spans = await receiver.spans();
      const roots = spans.filter((span) => span.name === 'edit in the catalogue');
      const writes = spans.filter((span) => span.name === 'write');
      expect(writes.length).toBeGreaterThanOrEqual(applied.length);
      for (const write of writes) {
        expect(traceProblems(spans, { traceId: write.traceId })).toEqual([]);
        expect(chainOf(spans, write)).toEqual(['edit in the catalogue', ...CHAIN]);
      }
      expect(roots.length).toBe(report.changes.length);
    } finally {
      await receiver.stop();
    }
  }, 120_000);
});

interface DemoAnswer {
  readonly ok: boolean;
  readonly changes: readonly { readonly status: string }[];
}

/** Runs `backflow demo --once --json` as a user would. */
function runDemo(env: Readonly<Record<string, string>>): Promise<DemoAnswer> {
  return new Promise((resolve, reject) => {
    const main = new URL('../../bin/backflow.js', import.meta.url).pathname;
    const { NATS_URL: _, ...inherited } = process.env;
    const child = spawn(process.execPath, [main, 'demo', '--once', '--json'], {
      env: { ...inherited, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let out = '';
    let errors = '';
    child.stdout.on('data', (chunk: Buffer) => {
      out += chunk.toString('utf8');
    });
    child.stderr.on('data', (chunk: Buffer) => {
      errors += chunk.toString('utf8');
    });
    child.on('error', reject);
    child.on('close', (code) => {
      if (code === 0) resolve(JSON.parse(out));
      else reject(new Error(`the demo ended with ${code}: ${errors}${out}`));
    });
  });
}
