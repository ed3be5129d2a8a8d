import { describe, expect, it } from 'vitest';
import type { Publisher, PublishOptions } from '../../streams/nats/contract.ts';
import { StreamError } from '../../streams/nats/stream-error.ts';
import { parseLargeEvent } from '../domain/large-event.ts';
import { parseMessage } from '../domain/parse-change-event.ts';
import { changeSubject } from '../domain/subjects.ts';
import { SILENT_LOG } from '../telemetry/log.ts';
import { createMetrics } from '../telemetry/metrics.ts';
import { startTelemetry } from '../telemetry/start.ts';
import { createIntake } from './ingest.ts';
import type { IntakeMessage } from './intake.ts';

interface Published {
  readonly subject: string;
  readonly data: Uint8Array | string;
  readonly options: PublishOptions;
}

type Behaviour = (message: Published) => Error | 'silence' | undefined;

/** A publisher that keeps what it is given and knows message ids, as JetStream does. */
function memoryPublisher(behaviour: Behaviour = () => undefined) {
  const published: Published[] = [];
  const publisher: Publisher = {
    publish: async (subject, data, options = {}) => {
      const failure = behaviour({ subject, data, options });
      if (failure === 'silence') return new Promise(() => {});
      if (failure !== undefined) throw failure;
      if (options.expectedLastSubjectSequence === 0 && published.some((one) => one.subject === subject)) {
        throw new StreamError('conflict', 'wrong last sequence');
      }
      const known = published.findIndex((one) => one.options.msgId === options.msgId);
      if (known >= 0) return { sequence: known + 1, duplicate: true };
      published.push({ subject, data, options });
      return { sequence: published.length, duplicate: false };
    },
    settle: async () => {},
  };
  const to = (prefix: string) => published.filter((one) => one.subject.startsWith(prefix));
  return { publisher, published, to };
}

function intakeOn(publisher: Publisher, changes: { maxPayload?: number; reads?: boolean; holdMs?: number } = {}) {
  const metrics = createMetrics();
  const intake = createIntake({
    publisher,
    maxPayload: () => changes.maxPayload ?? 1_048_576,
    targets: { reads: () => changes.reads ?? true, revision: () => 7 },
    metrics,
    log: SILENT_LOG,
    clock: { now: () => 1_000 },
    holdMs: changes.holdMs ?? 5_000,
  });
  const ingest = (value: unknown, message: Partial<IntakeMessage> = {}) =>
    intake.ingest({
      body: Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)),
      source: 'webhook',
      headers: {},
      ...message,
    });
  return { ingest, metrics };
}

const event = {
  id: 'e1',
  eventType: 'entityUpdated',
  entityType: 'table',
  entityId: 't1',
  entityFullyQualifiedName: 'pg.shop.public.orders',
  userName: 'ana',
  timestamp: 1,
  currentVersion: 0.2,
  changeDescription: { previousVersion: 0.1, fieldsUpdated: [{ name: 'description', oldValue: 'a', newValue: 'b' }] },
};
const TRACEPARENT = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

const text = (one: Published | undefined) => Buffer.from(one?.data ?? '').toString();

describe('createIntake', () => {
  it('publishes a change on its subject, with the event id as message id', async () => {
    const { publisher, published } = memoryPublisher();
    const report = await intakeOn(publisher).ingest(event);
    expect(report).toEqual({ stored: true, items: [{ result: 'published', eventId: 'e1', sequence: 1 }] });
    expect(published).toHaveLength(1);
    expect(published[0]).toMatchObject({
      subject: changeSubject('pg', { entityType: 'table', fqn: 'pg.shop.public.orders' }),
      options: { msgId: 'e1', headers: { 'backflow-received-at': '1000' } },
    });
    expect(JSON.parse(text(published[0]))).toEqual(event);
  });

  it('says of a copy that it is one, and takes every event of a list', async () => {
    const { publisher } = memoryPublisher();
    const { ingest } = intakeOn(publisher);
    await ingest(event);
    const report = await ingest({ data: [event, { ...event, id: 'e2' }, { ...event, id: 'e3', entityType: 'user' }] });
    expect(report.stored && report.items.map((item) => item.result)).toEqual([
      'duplicate',
      'published',
      'other-entity',
    ]);
  });

  it('acknowledges test messages in JSON and entity types that are not written back, and records nothing', async () => {
    const { publisher, published } = memoryPublisher();
    const { ingest, metrics } = intakeOn(publisher);
    await ingest({ message: 'a test' });
    await ingest({ ...event, entityType: 'dashboard' });
    expect(published).toEqual([]);
    expect(await metrics.text()).toContain('backflow_intake_events_total{source="webhook",result="other-entity"} 1');
  });

  it('puts what cannot be read into the dead letters', async () => {
    const { publisher, published } = memoryPublisher();
    const report = await intakeOn(publisher).ingest('{"broken');
    expect(report).toMatchObject({ stored: true, items: [{ result: 'unreadable' }] });
    expect(published[0]?.subject).toMatch(/^deadletter\._intake\.[0-9a-f-]+$/);
    expect(JSON.parse(text(published[0]))).toMatchObject({ v: 1, body: '{"broken', failure: { code: 'json-syntax' } });
  });

  it('makes one dead letter of a raw event however often it is tried', async () => {
    const { publisher, published } = memoryPublisher();
    const { ingest } = intakeOn(publisher);
    await ingest('{"broken', { source: 'events', id: '12' });
    await ingest('{"broken', { source: 'events', id: '12' });
    await ingest('{"broken', { source: 'events', id: '13' });
    expect(published).toHaveLength(2);
  });

  it('marks a change that no target reads, and records its outcome exactly once', async () => {
    const { publisher, to } = memoryPublisher();
    const { ingest } = intakeOn(publisher, { reads: false });
    const report = await ingest(event);
    await ingest(event);
    expect(report.stored && report.items[0]?.result).toBe('no-target');
    expect(to('change.')[0]?.options.headers).toMatchObject({ 'backflow-no-target': '1' });
    expect(to('bulk.').map((one) => one.subject)).toEqual(['bulk._none.0.1']);
    expect(JSON.parse(text(to('bulk.')[0]))).toMatchObject({
      configRevision: 7,
      settles: [1],
      items: [{ sequence: 1, eventId: 'e1', status: 'skipped', reason: expect.stringContaining('no target') }],
    });
  });

  it('slims an event that is too large, and keeps what the lanes need', async () => {
    const { publisher, published } = memoryPublisher();
    const entity = {
      name: 'orders',
      fullyQualifiedName: 'pg.shop.public.orders',
      description: 'kept',
      sampleData: 'x'.repeat(100_000),
    };
    await intakeOn(publisher, { maxPayload: 20_000 }).ingest({ ...event, entity: JSON.stringify(entity) });
    expect(published[0]?.options.headers).toMatchObject({ 'backflow-slimmed': '1' });
    expect(text(published[0]).length).toBeLessThan(20_000 - 4_096);
    expect(parseMessage(text(published[0]))).toMatchObject([
      { kind: 'change', event: { id: 'e1', previousVersion: 0.1, snapshot: { description: 'kept' } } },
    ]);
  });

  it('stores an event that stays too large in parts, and publishes where they are', async () => {
    const { publisher, published } = memoryPublisher();
    const entity = { name: 'orders', fullyQualifiedName: 'pg.shop.public.orders', description: 'x'.repeat(100_000) };
    const { ingest } = intakeOn(publisher, { maxPayload: 20_000 });
    const report = await ingest({ ...event, entity });
    expect(report).toMatchObject({ stored: true, items: [{ result: 'published', eventId: 'e1' }] });
    const parts = published.slice(0, -1);
    expect(parts.length).toBeGreaterThan(4);
    for (const part of parts) {
      expect(part.subject).toMatch(/^change\.=part\.[0-9a-f]{32}\.\d+$/);
      expect(part.data.length).toBeLessThan(20_000);
    }
    const last = published.at(-1);
    expect(last).toMatchObject({
      subject: changeSubject('pg', { entityType: 'table', fqn: 'pg.shop.public.orders' }),
      options: { msgId: 'e1', headers: { 'backflow-large': '1' } },
    });
    expect(parseMessage(text(last)).some(({ kind }) => kind === 'change')).toBe(false);
    const reference = parseLargeEvent(Buffer.from(text(last)));
    expect(reference).toMatchObject({ eventId: 'e1', object: { sequences: parts.map((_, index) => index + 1) } });
    const whole = parts.map((part) => text(part)).join('');
    expect(parseMessage(whole)).toMatchObject([
      { kind: 'change', event: { id: 'e1', snapshot: { description: entity.description } } },
    ]);
    await ingest({ ...event, entity });
    expect(published).toHaveLength(parts.length + 1);
  });

  it('is not stored when NATS fails, or does not answer in time', async () => {
    const away = memoryPublisher(() => new StreamError('timeout', 'no answer'));
    expect(await intakeOn(away.publisher).ingest(event)).toEqual({ stored: false, reason: 'no answer' });
    const silent = memoryPublisher(() => 'silence');
    expect(await intakeOn(silent.publisher, { holdMs: 20 }).ingest(event)).toMatchObject({ stored: false });
  });

  it('is not stored when only the outcome or the dead letter could not be written', async () => {
    const noOutcome = memoryPublisher(({ subject }) =>
      subject.startsWith('bulk.') ? new StreamError('full', 'full') : undefined,
    );
    expect(await intakeOn(noOutcome.publisher, { reads: false }).ingest(event)).toMatchObject({ stored: false });
    const noLetters = memoryPublisher(() => new StreamError('full', 'full'));
    expect(await intakeOn(noLetters.publisher).ingest('{')).toMatchObject({ stored: false });
  });

  it('buries an event that NATS will never take, instead of losing it or trying for ever', async () => {
    const { publisher, to } = memoryPublisher(({ subject }) =>
      subject.startsWith('change.') ? new StreamError('rejected', 'bad subject') : undefined,
    );
    expect(await intakeOn(publisher).ingest(event)).toMatchObject({ stored: true, items: [{ result: 'unreadable' }] });
    expect(JSON.parse(text(to('deadletter.')[0]))).toMatchObject({
      failure: { code: 'nats-rejected' },
      body: JSON.stringify(event),
    });
  });

  it('buries an event when our own code fails on it', async () => {
    const { publisher, to } = memoryPublisher(({ subject }) =>
      subject.startsWith('change.') ? new Error('a bug') : undefined,
    );
    expect(await intakeOn(publisher).ingest(event)).toMatchObject({ stored: true, items: [{ result: 'unreadable' }] });
    expect(to('deadletter.')).toHaveLength(1);
  });

  it('hands an incoming trace on even while tracing is off', async () => {
    await startTelemetry({});
    const { publisher, published } = memoryPublisher();
    await intakeOn(publisher).ingest(event, { headers: { traceparent: TRACEPARENT } });
    expect(published[0]?.options.headers?.traceparent).toBe(TRACEPARENT);
  });

  it('gives an id that no header can hold as its hash', async () => {
    const { publisher, published } = memoryPublisher();
    await intakeOn(publisher).ingest({ ...event, id: 'a\r\nX: y' });
    expect(published[0]?.options.msgId).toMatch(/^sha256-[0-9a-f]{64}$/);
  });
});
