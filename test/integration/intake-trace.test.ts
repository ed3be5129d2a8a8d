import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTelemetry, type Telemetry } from '../../src/telemetry/start.ts';
import { getBySequence } from '../../streams/nats/stored-messages.ts';
import { type IntakeService, startIntakeService, type WebhookAnswer } from '../support/intake-service.ts';
import { type OtlpReceiver, startOtlpReceiver } from '../support/otlp-receiver.ts';
import type { ReceivedSpan } from '../support/otlp-span.ts';
import { tableEvent } from '../support/table-event.ts';
import { traceProblems } from '../support/trace-chain.ts';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const SENDER = 'b7ad6b7169203331';

let receiver: OtlpReceiver;
let telemetry: Telemetry;
let service: IntakeService;

beforeAll(async () => {
  receiver = await startOtlpReceiver();
  process.env.OTEL_EXPORTER_OTLP_ENDPOINT = receiver.url;
  process.env.OTEL_EXPORTER_OTLP_PROTOCOL = 'http/json';
  telemetry = await startTelemetry();
  service = await startIntakeService({ services: ['pg_sales'] });
});

afterAll(async () => {
  await service.stop();
  await telemetry.shutdown();
  await receiver.stop();
});

/** The spans of the trace that a stored change belongs to, by name, and the header that its message carries. */
async function traceOf(answer: WebhookAnswer) {
  const sequence = answer.items[0]?.sequence ?? 0;
  const message = await getBySequence(service.link, 'CHANGES', sequence);
  const [, traceId, spanId] = message?.headers.traceparent?.split('-') ?? [];
  await telemetry.flush();
  const spans = await receiver.waitFor((all) => all.some((span) => span.spanId === spanId));
  const named = (name: string) => spans.filter((span) => span.traceId === traceId && span.name === name);
  return { traceId, spanId, named, spans };
}

const attributes = (span: ReceivedSpan | undefined) => span?.attributes ?? {};

describe('the trace through intake', () => {
  it('goes on from the sender’s span: intake, then publish, whose context the message carries', async () => {
    const body = tableEvent();
    const { traceId, spanId, named, spans } = await traceOf(
      await service.accept(body, { traceparent: `00-${TRACE}-${SENDER}-01`, tracestate: 'vendor=x' }),
    );
    const [intake, ...others] = named('intake');
    const [publish] = named('CHANGES publish');
    expect(others).toEqual([]);
    expect(traceId).toBe(TRACE);
    expect(intake).toMatchObject({ parentSpanId: SENDER, kind: 2, scope: 'backflow' });
    expect(attributes(intake)).toMatchObject({
      'backflow.event.id': body.id,
      'backflow.asset': 'pg_sales.shop.public.orders',
      'backflow.source': 'webhook',
    });
    expect(publish).toMatchObject({ parentSpanId: intake?.spanId, spanId, kind: 4 });
    expect(attributes(publish)).toMatchObject({
      'messaging.system': 'nats',
      'messaging.operation.type': 'send',
      'messaging.destination.name': 'CHANGES',
      'messaging.message.id': body.id,
    });
    expect(traceProblems(spans, { traceId: TRACE, incomingSpanId: SENDER })).toEqual([]);
  });

  it('begins a trace of its own where none came in, one for each event', async () => {
    const answers = [await service.accept(tableEvent()), await service.accept(tableEvent())];
    const traces = await Promise.all(answers.map((answer) => traceOf(answer)));
    for (const { traceId, named } of traces) {
      expect(traceId).not.toBe(TRACE);
      expect(named('intake')).toHaveLength(1);
      expect(named('intake')[0]).not.toHaveProperty('parentSpanId');
    }
    expect(new Set(traces.map((one) => one.traceId)).size).toBe(2);
  });

  it('names the trace in the dead letter of what cannot be read, and marks its span', async () => {
    await service.accept('{"broken', { traceparent: `00-${TRACE}-${SENDER}-01` });
    const letters = await service.stored('deadLetters', '>');
    expect(JSON.parse(Buffer.from(letters.at(-1)?.data ?? '').toString())).toMatchObject({ traceId: TRACE });
    await telemetry.flush();
    const failed = (span: ReceivedSpan) => span.status.code === 2 && span.attributes['error.type'] === 'json-syntax';
    expect((await receiver.waitFor((all) => all.some(failed))).some(failed)).toBe(true);
  });
});
