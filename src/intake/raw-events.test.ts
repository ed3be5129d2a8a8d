import { NEVER, Subject } from 'rxjs';
import { describe, expect, it } from 'vitest';
import type { Delivery } from '../../streams/nats/contract.ts';
import { SILENT_LOG } from '../telemetry/log.ts';
import { createMetrics } from '../telemetry/metrics.ts';
import type { IntakeMessage, IntakeReport } from './intake.ts';
import { startRawEvents } from './raw-events.ts';

function reader(answer: (message: IntakeMessage) => Promise<IntakeReport>) {
  const deliveries = new Subject<Delivery>();
  const ended: string[] = [];
  const running = startRawEvents({
    source: {
      deliveries,
      events: NEVER,
      creditsInUse: () => ({ messages: 0, bytes: 0 }),
      stopped: async () => {},
    },
    intake: { ingest: answer },
    metrics: createMetrics(),
    log: SILENT_LOG,
    retryMs: 70,
  });
  const deliver = (sequence: number, headers: Record<string, string> = {}) =>
    deliveries.next({
      subject: 'events.x',
      sequence,
      deliveryCount: 1,
      streamTime: 0,
      headers,
      data: Buffer.from('{}'),
      pending: 0,
      ack: () => ended.push(`ack ${sequence}`),
      nak: (delay) => ended.push(`nak ${sequence} ${delay}`),
    });
  return { deliver, ended, running };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('startRawEvents', () => {
  it('acks what is stored, and gives back for later what is not or what failed', async () => {
    const { deliver, ended } = reader(async ({ id }) => {
      if (id === '3') throw new Error('a bug');
      return id === '2' ? { stored: false, reason: 'away' } : { stored: true, items: [] };
    });
    for (const sequence of [1, 2, 3, 4]) deliver(sequence);
    await settled();
    expect(ended.toSorted()).toEqual(['ack 1', 'ack 4', 'nak 2 70', 'nak 3 70']);
  });

  it('acks only after everything is stored, and waits for that when it stops', async () => {
    let store: (report: IntakeReport) => void = () => {};
    const { deliver, ended, running } = reader(() => new Promise((resolve) => (store = resolve)));
    deliver(1);
    const stopped = running.stop();
    deliver(2);
    await settled();
    expect(ended).toEqual([]);
    store({ stored: true, items: [] });
    await stopped;
    expect(ended).toEqual(['ack 1']);
  });

  it('reads the trace headers in any case', async () => {
    const seen: IntakeMessage[] = [];
    const { deliver } = reader(async (message) => {
      seen.push(message);
      return { stored: true, items: [] };
    });
    deliver(9, { Traceparent: 'x' });
    await settled();
    expect(seen).toMatchObject([{ source: 'events', id: '9', headers: { traceparent: 'x' } }]);
  });
});
