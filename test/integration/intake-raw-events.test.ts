import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openRawEvents } from '../../src/intake/open-raw-events.ts';
import { RAW_EVENTS, type RawEvents } from '../../src/intake/raw-events.ts';
import { SILENT_LOG } from '../../src/telemetry/log.ts';
import { startTelemetry } from '../../src/telemetry/start.ts';
import type { MessageHeaders } from '../../streams/nats/contract.ts';
import { createPublisher } from '../../streams/nats/publisher.ts';
import { type IntakeService, startIntakeService } from '../support/intake-service.ts';
import { tableEvent } from '../support/table-event.ts';
import { until } from '../support/until.ts';

const TRACEPARENT = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

let service: IntakeService;
let reader: RawEvents;

const read = () =>
  openRawEvents(service.link, { intake: service.intake, metrics: service.metrics, log: SILENT_LOG, retryMs: 50 });

beforeAll(async () => {
  await startTelemetry({});
  service = await startIntakeService({ services: ['pg_sales'], holdMs: 500 });
  reader = await read();
});

afterAll(async () => {
  await reader.stop();
  await service.stop();
});

const publisher = () => createPublisher(service.link, { maxMessages: 64, maxBytes: 1_000_000 });
const publish = (body: unknown, headers: MessageHeaders = {}) =>
  publisher().publish('events.bridge', typeof body === 'string' ? body : JSON.stringify(body), { headers });

const consumer = async () => {
  const info = await service.link.jsm.consumers.info(RAW_EVENTS.stream, RAW_EVENTS.durable);
  return { waiting: info.num_pending, unacked: info.num_ack_pending };
};
const allAcked = () => until(async () => Object.values(await consumer()).every((count) => count === 0));

/** Ids of the events that are in CHANGES. */
const changes = async () =>
  (await service.stored('changes', '>')).map((message) => ({
    id: String(JSON.parse(Buffer.from(message.data).toString()).id),
    headers: message.headers,
  }));

describe('raw events on events.>', () => {
  it('takes them into CHANGES, acked, with the trace they came in, whatever the case of its header', async () => {
    const event = tableEvent();
    await publish(event, { Traceparent: TRACEPARENT });
    await allAcked();
    const stored = (await changes()).find((change) => change.id === event.id);
    expect(stored?.headers.traceparent).toBe(TRACEPARENT);
  });

  it('takes lists and envelopes, and a copy only once', async () => {
    const event = tableEvent();
    const before = (await changes()).length;
    await publish({ payload: event });
    await publish([event, tableEvent()]);
    await allAcked();
    expect((await changes()).length - before).toBe(2);
  });

  it('keeps what cannot be read as a dead letter and acks it', async () => {
    await publish('{"broken');
    await allAcked();
    const letters = await service.stored('deadLetters', 'deadletter._intake.>');
    expect(letters.map((letter) => JSON.parse(Buffer.from(letter.data).toString()))).toMatchObject([
      { body: '{"broken', failure: { code: 'json-syntax' } },
    ]);
  });

  it('loses and doubles nothing when it stops and another one goes on', async () => {
    const before = (await changes()).length;
    const events = Array.from({ length: 200 }, () => tableEvent());
    const sending = Promise.all(events.map((event) => publish(event)));
    await until(async () => (await changes()).length > before);
    await reader.stop();
    reader = await read();
    await sending;
    await allAcked();
    const stored = (await changes()).slice(before).map((change) => change.id);
    expect(stored.toSorted()).toEqual(events.map((event) => event.id).toSorted());
  });

  it('makes a consumer again that was deleted, and takes what came meanwhile', async () => {
    await service.link.jsm.consumers.delete(RAW_EVENTS.stream, RAW_EVENTS.durable);
    const event = tableEvent();
    await publish(event);
    await until(async () => (await changes()).some((change) => change.id === event.id), 30_000);
    await allAcked();
    const ids = (await changes()).map((change) => change.id);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('loses nothing when NATS is killed meanwhile', async () => {
    const before = (await changes()).length;
    const events = Array.from({ length: 50 }, () => tableEvent());
    await Promise.all(events.map((event) => publish(event)));
    await service.nats.kill();
    await service.nats.restart();
    await until(() => service.link.connected());
    await until(async () => (await changes()).length - before >= events.length, 60_000);
    const stored = (await changes()).slice(before).map((change) => change.id);
    expect(stored.toSorted()).toEqual(events.map((event) => event.id).toSorted());
  });
});
