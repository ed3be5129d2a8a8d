import { describe, expect, it } from 'vitest';
import type { Publisher, PublishOptions } from '../../streams/nats/contract.ts';
import { StreamError } from '../../streams/nats/stream-error.ts';
import { parseMessage } from '../domain/parse-change-event.ts';
import { recordNoTarget } from './no-target.ts';

const [parsed] = parseMessage(
  JSON.stringify({
    id: 'e1',
    eventType: 'entityUpdated',
    entityType: 'table',
    entityId: 't1',
    entityFullyQualifiedName: 'pg.shop.public.orders',
    timestamp: 1,
  }),
);

function record(answer: () => Promise<{ sequence: number; duplicate: boolean }>) {
  const options: PublishOptions[] = [];
  const publisher: Publisher = {
    publish: (_subject, _data, given = {}) => {
      options.push(given);
      return answer();
    },
    settle: async () => {},
  };
  if (parsed?.kind !== 'change') throw new Error('the event is no change');
  const change = { event: parsed.event, sequence: 5, at: 1, configRevision: 1, traceId: undefined };
  return { options, done: recordNoTarget(publisher, change, 1_000) };
}

describe('recordNoTarget', () => {
  it('insists on being the first record of its change', async () => {
    const { options, done } = record(async () => ({ sequence: 1, duplicate: false }));
    await done;
    expect(options).toMatchObject([{ msgId: 'intake-5', expectedLastSubjectSequence: 0 }]);
  });

  it('is done when the record is there already, also after the time in which NATS knows message ids', async () => {
    const { done } = record(() => Promise.reject(new StreamError('conflict', 'wrong last sequence')));
    await expect(done).resolves.toBeUndefined();
  });

  it('fails when the record could not be written', async () => {
    const { done } = record(() => Promise.reject(new StreamError('full', 'full')));
    await expect(done).rejects.toMatchObject({ code: 'full' });
  });
});
