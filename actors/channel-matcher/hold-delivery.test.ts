import { describe, expect, it } from 'vitest';
import type { Delivery } from '../../streams/nats/contract.ts';
import { IDENTITY, sampleConfig, sampleEvent, sampleHeld, T0, TARGET } from '../../test/support/lane-samples.ts';
import { holdDelivery, isForOthers } from './hold-delivery.ts';
import { UNREADABLE, unreadableItem, unreadableLetter } from './unreadable.ts';

function delivery(data: string, headers: Readonly<Record<string, string>> = {}): Delivery {
  const nothing = () => undefined;
  const common = { subject: 's', sequence: 4, deliveryCount: 1, streamTime: T0, pending: 0 };
  return { ...common, headers, data: Buffer.from(data), ack: nothing, nak: nothing };
}
const config = sampleConfig([]);

describe('a delivery becomes a held change', () => {
  it('is for others when no target reads it, or when it replays for another target', () => {
    expect(isForOthers(delivery(''), TARGET)).toBe(false);
    expect(isForOthers(delivery('', { 'backflow-no-target': '1' }), TARGET)).toBe(true);
    expect(isForOthers(delivery('', { 'backflow-replay-target': 'another' }), TARGET)).toBe(true);
    expect(isForOthers(delivery('', { 'backflow-replay-target': TARGET }), TARGET)).toBe(false);
  });

  it('keeps what it needs of the headers, and not the body', () => {
    const headers = {
      'backflow-received-at': String(T0 - 5),
      'backflow-replay-of': 'e0',
      'backflow-replay-channel': 'docs',
    };
    const held = sampleHeld(1, {}, config, { headers });
    expect(held).toMatchObject({ receivedAt: T0 - 5, onlyChannel: 'docs', received: { replayOf: 'e0' } });
    expect(held.delivery.data.length).toBe(0);
    expect(sampleHeld(1, {}, config, { headers: { 'backflow-received-at': 'soon' } }).receivedAt).toBe(T0);
  });

  it('holds nothing of what cannot be read, which ends failed with a letter of the same id each time', () => {
    expect(holdDelivery(delivery('no JSON'), IDENTITY, config, T0)).toBeUndefined();
    expect(holdDelivery(delivery(sampleEvent()), IDENTITY, config, T0)).toBeDefined();
    const long = delivery('x'.repeat(70_000));
    expect(unreadableItem(long, UNREADABLE)).toMatchObject({ sequence: 4, status: 'failed' });
    const letter = unreadableLetter('pg.sales', long, UNREADABLE, T0);
    expect(letter).toMatchObject({ id: 'pg_sales-4', bodyCut: true });
    expect(letter.body.length).toBe(65_536);
    expect(unreadableLetter('pg.sales', delivery('short'), UNREADABLE, T0)).not.toHaveProperty('bodyCut');
  });
});
