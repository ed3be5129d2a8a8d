import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseLargeEvent } from '../../src/domain/large-event.ts';
import { parseMessage } from '../../src/domain/parse-change-event.ts';
import { deadLetterSubject } from '../../src/domain/subjects.ts';
import { sign } from '../../src/intake/signature.ts';
import type { StoredMessage } from '../../streams/nats/contract.ts';
import { getObject } from '../../streams/nats/object-store.ts';
import { getBySequence, getLast } from '../../streams/nats/stored-messages.ts';
import {
  type IntakeService,
  startIntakeService,
  WEBHOOK_SECRET,
  type WebhookAnswer,
} from '../support/intake-service.ts';
import { tableEvent } from '../support/table-event.ts';
import { until } from '../support/until.ts';

let service: IntakeService;

beforeAll(async () => {
  service = await startIntakeService({ services: ['pg_sales', 'a.b "c" 😀*'], holdMs: 1_000 });
});

afterAll(() => service.stop());

const text = (message: StoredMessage | undefined) => Buffer.from(message?.data ?? '').toString('utf8');

/** The change that the answer says was stored, read back from CHANGES and parsed as a lane parses it. */
async function storedChange(answer: WebhookAnswer) {
  const [item] = answer.items;
  if (item?.sequence === undefined) throw new Error(`nothing was stored: ${JSON.stringify(answer)}`);
  const message = await getBySequence(service.link, 'CHANGES', item.sequence);
  const [parsed] = parseMessage(text(message));
  if (parsed?.kind !== 'change') throw new Error('what was stored is no change');
  return { message, event: parsed.event };
}

async function deadLetter(answer: WebhookAnswer): Promise<Record<string, unknown>> {
  const id = answer.items[0]?.deadLetter;
  if (typeof id !== 'string') throw new Error(`no dead letter: ${JSON.stringify(answer)}`);
  return JSON.parse(text(await getLast(service.link, 'DEADLETTERS', deadLetterSubject(undefined, id))));
}

describe('bad input through the webhook', () => {
  it('keeps broken JSON as a dead letter when it is signed, and refuses it when it is not', async () => {
    const body = '{"id": "e1", "entity';
    const answer = await service.accept(body);
    expect(answer).toMatchObject({ accepted: 0, ignored: 0, deadLettered: 1 });
    expect(await deadLetter(answer)).toMatchObject({ body, failure: { class: 'invalid', code: 'json-syntax' } });
    const letters = (await service.stored('deadLetters', '>')).length;
    expect((await service.post(body, null)).status).toBe(401);
    expect((await service.post(body, sign('other', WEBHOOK_SECRET))).status).toBe(401);
    expect(await service.stored('deadLetters', '>')).toHaveLength(letters);
  });

  it('keeps the plain text that 1.6 sends to try a destination, and acknowledges the JSON of 1.12', async () => {
    expect(await deadLetter(await service.accept('This is a test message from OpenMetadata'))).toMatchObject({
      failure: { code: 'plain-text' },
    });
    expect(await service.accept({ message: 'This is a test message' })).toMatchObject({ ignored: 1, deadLettered: 0 });
  });

  it.each([
    ['bytes that are no UTF-8', new Uint8Array([0x7b, 0xff, 0xfe, 0x7d]), 'not-utf8'],
    ['an empty body', '', 'json-syntax'],
    ['a number', '17', 'no-event'],
    ['null', 'null', 'no-event'],
    ['an object that is no event', '{"hello":1}', 'no-event'],
    ['100,000 open brackets', '['.repeat(100_000), 'json-too-deep'],
    ['100,000 nested objects', `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`, 'json-too-deep'],
    ['an event without a time', JSON.stringify(tableEvent({ envelope: { timestamp: undefined } })), 'invalid-event'],
    ['an event without an id', JSON.stringify(tableEvent({ envelope: { id: undefined } })), 'invalid-event'],
    ['an id that is no text', JSON.stringify(tableEvent({ envelope: { id: { $ne: 1 } } })), 'invalid-event'],
    [
      'an event whose entity cannot be read and that has no name',
      JSON.stringify(tableEvent({ envelope: { entity: '{"broken', entityFullyQualifiedName: undefined } })),
      'entity-unreadable',
    ],
    [
      'an entity nested too deep',
      JSON.stringify(tableEvent({ envelope: { entity: `${'['.repeat(5_000)}${']'.repeat(5_000)}` } })),
      'json-too-deep',
    ],
  ])('keeps as a dead letter, with what and where: %s', async (_what, body, code) => {
    const response = await service.post(body);
    expect(response.status).toBe(200);
    const answer: WebhookAnswer = JSON.parse(await response.text());
    expect(answer).toMatchObject({ accepted: 0, deadLettered: 1 });
    expect(await deadLetter(answer)).toMatchObject({
      failure: { class: 'invalid', code, message: expect.stringMatching(/.{10,}\(at \$/) },
    });
  });

  it('drops entity types that are not written back, counted', async () => {
    const before = (await service.stored('changes', '>')).length;
    const answer = await service.accept(tableEvent({ envelope: { entityType: 'dashboard' } }));
    expect(answer).toMatchObject({
      accepted: 0,
      ignored: 1,
      items: [{ result: 'other-entity', entityType: 'dashboard' }],
    });
    expect(await service.stored('changes', '>')).toHaveLength(before);
    expect(await service.metrics.text()).toMatch(
      /backflow_intake_events_total\{source="webhook",result="other-entity"} 1/,
    );
  });

  it('takes a 5 MB entity by leaving out what no lane needs', async () => {
    const rows = Array.from({ length: 5_000 }, () => ['x'.repeat(1_000)]);
    const body = tableEvent({ description: 'still here', entity: { sampleData: { columns: ['a'], rows } } });
    expect(JSON.stringify(body).length).toBeGreaterThan(5_000_000);
    const { message, event } = await storedChange(await service.accept(body));
    expect(message?.headers['backflow-slimmed']).toBe('1');
    expect(event).toMatchObject({ id: body.id, previousVersion: 0.1, snapshot: { description: 'still here' } });
    expect(event.snapshot?.columns.map((column) => column.name)).toEqual(['order_id']);
  });

  it('takes a 5 MB description by storing the event in parts', async () => {
    const body = tableEvent({ description: 'x'.repeat(5_000_000) });
    expect(await service.accept(body)).toMatchObject({ accepted: 1, deadLettered: 0 });
    const [message] = (await service.stored('changes', '>')).slice(-1);
    expect(message?.headers).toMatchObject({ 'backflow-large': '1', 'backflow-slimmed': '1' });
    const reference = parseLargeEvent(message?.data ?? new Uint8Array());
    expect(reference).toMatchObject({ eventId: body.id });
    const whole = reference === undefined ? undefined : await getObject(service.link, 'CHANGES', reference.object);
    const [part] = parseMessage(whole ?? '');
    expect(part).toMatchObject({ kind: 'change', event: { id: body.id } });
    expect(part?.kind === 'change' && part.event.snapshot?.description?.length).toBe(5_000_000);
  });

  it('takes keys that aim at prototypes as the harmless text that they are', async () => {
    const body = JSON.stringify(tableEvent()).replace(
      '{',
      '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},',
    );
    const { event } = await storedChange(await service.accept(body));
    expect(event.service).toBe('pg_sales');
    expect(Object.prototype).not.toHaveProperty('polluted');
  });

  it.each([
    ['lone surrogates', '\ud800 and \udfff'],
    ['NUL', 'a\u0000b'],
    ['newlines, quotes, backslashes, emoji', 'a\r\n\'"`\\ 😀 \u2028'],
  ])('keeps %s in a description as they are', async (_what, description) => {
    const { event } = await storedChange(await service.accept(tableEvent({ description })));
    expect(event.snapshot?.description).toBe(description);
  });

  it.each([
    ['dots and quotes', ['pg_sales', 'shop', 'my.schema', 'or"ders'] as const],
    ['blanks, emoji and newlines', ['pg_sales', 'my shop', '😀', 'a\nb'] as const],
    ['stars in the service', ['a.b "c" 😀*', 'shop', 'public', 'orders >'] as const],
  ])('stores names with %s under a subject that holds', async (_what, path) => {
    const { message, event } = await storedChange(await service.accept(tableEvent({ path })));
    expect(event.service).toBe(path[0]);
    expect(event.snapshot?.name).toBe(path[3]);
    expect(message?.subject).toMatch(/^change\.[A-Za-z0-9=_-]+\.\d+\.table\.[0-9a-f]{32}$/);
  });

  it('settles a change of an unknown service at once, exactly one outcome', async () => {
    const body = tableEvent({ path: ['nobody', 'shop', 'public', 'orders'] });
    const answer = await service.accept(body);
    await service.accept(body);
    expect(answer.items[0]?.result).toBe('no-target');
    const { message } = await storedChange(answer);
    expect(message?.headers['backflow-no-target']).toBe('1');
    const outcomes = await service.stored('outcomes', `bulk._none.0.${answer.items[0]?.sequence}`);
    expect(outcomes.map((outcome) => JSON.parse(text(outcome)))).toMatchObject([
      {
        settles: [answer.items[0]?.sequence],
        items: [{ eventId: body.id, status: 'skipped', reason: expect.stringContaining('nobody') }],
      },
    ]);
  });

  it('stores one event once, however often and however fast it is sent', async () => {
    const body = tableEvent();
    const answers = await Promise.all(Array.from({ length: 10 }, () => service.accept(body)));
    const results = answers.map((answer) => answer.items[0]?.result).sort();
    expect(results).toEqual([...Array.from({ length: 9 }, () => 'duplicate'), 'published']);
    expect(new Set(answers.map((answer) => answer.items[0]?.sequence)).size).toBe(1);
  });

  it('takes the good events of a list and keeps the broken one', async () => {
    const list = {
      data: [tableEvent(), tableEvent({ envelope: { timestamp: 'now' } }), tableEvent()],
      paging: { total: 3 },
    };
    expect(await service.accept(list)).toMatchObject({ accepted: 2, deadLettered: 1 });
  });
});

describe('while NATS is away', () => {
  it('holds the request, then answers 503 and counts it, and takes changes again afterwards', async () => {
    await service.nats.kill();
    const body = tableEvent();
    const response = await service.post(JSON.stringify(body));
    expect(response.status).toBe(503);
    expect(await service.metrics.text()).toMatch(/requests_total\{source="webhook",answer="unavailable"} 1/);
    await service.nats.restart();
    await until(() => service.link.connected());
    expect((await service.accept(body)).accepted).toBe(1);
  });

  it('stores a held request when NATS comes back in time', async () => {
    const patient = await startIntakeService({ services: ['pg_sales'] });
    try {
      await patient.nats.kill();
      await until(() => !patient.link.connected());
      const answer = patient.accept(tableEvent());
      await patient.nats.restart();
      expect((await answer).accepted).toBe(1);
      expect(await patient.stored('changes', '>')).toHaveLength(1);
    } finally {
      await patient.stop();
    }
  });
});
