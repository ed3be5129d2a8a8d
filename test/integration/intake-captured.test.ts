import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { verifySignature } from '../../src/intake/signature.ts';
import { CAPTURED_SERVERS, capturedEvents } from '../support/captured-events.ts';
import { type IntakeService, startIntakeService, WEBHOOK_SECRET } from '../support/intake-service.ts';

const head = z.object({ id: z.string(), entityType: z.string() });
const OURS = ['database', 'databaseSchema', 'table'];

describe.each(CAPTURED_SERVERS)('the requests captured from %s', (server) => {
  const captured = capturedEvents(server);
  let service: IntakeService;

  beforeAll(async () => {
    service = await startIntakeService({ services: ['pg_sales'] });
  });
  afterAll(() => service.stop());

  it('all carry a signature that we find right, and wrong for any other body or secret', () => {
    expect(captured.length).toBeGreaterThan(70);
    for (const { body, signature } of captured) {
      expect(verifySignature(body, signature, ['other', WEBHOOK_SECRET])).toBe('valid');
      expect(verifySignature(body.subarray(1), signature, [WEBHOOK_SECRET])).toBe('wrong');
      expect(verifySignature(body, signature, ['other'])).toBe('wrong');
    }
  });

  it('are taken with those signatures: every change stands in CHANGES, unaltered, and none in the dead letters', async () => {
    const heads = captured.map(({ body }) => head.parse(JSON.parse(Buffer.from(body).toString())));
    const ids = new Set(heads.filter(({ entityType }) => OURS.includes(entityType)).map(({ id }) => id));
    for (const { body, signature } of captured) expect((await service.post(body, signature)).status).toBe(200);
    const stored = await service.stored('changes', '>');
    expect(stored.map((message) => head.parse(JSON.parse(Buffer.from(message.data).toString())).id).toSorted()).toEqual(
      [...ids].toSorted(),
    );
    const bodies = new Map(
      captured.map(({ body }, index) => [heads[index]?.id, JSON.parse(Buffer.from(body).toString())]),
    );
    for (const message of stored) {
      const event = JSON.parse(Buffer.from(message.data).toString());
      expect(event).toEqual(bodies.get(event.id));
    }
    expect(await service.stored('deadLetters', '>')).toEqual([]);
  });
});
