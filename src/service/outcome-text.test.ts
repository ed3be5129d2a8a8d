import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { OutcomeItem, OutcomeMessage, SupersededItem } from '../domain/outcome.ts';
import { OutcomeTexts } from './outcome-text.ts';

const text = fc.string({ unit: 'binary', maxLength: 12 });
const item: fc.Arbitrary<OutcomeItem> = fc.record(
  {
    sequence: fc.nat(),
    eventId: text,
    object: text,
    status: fc.constantFrom('applied' as const, 'failed' as const),
    aspect: fc.constantFrom('description' as const, 'tags' as const),
    after: text,
    statements: fc.array(text, { maxLength: 2 }),
    timings: fc.constant({ eventAt: 1, receivedAt: 2.5, pulledAt: 3, settledAt: 4 }),
  },
  { requiredKeys: ['sequence', 'eventId', 'object', 'status'] },
);
const superseded: fc.Arbitrary<SupersededItem> = fc.record({
  sequence: fc.nat(),
  eventId: text,
  object: text,
  by: text,
});
const message: fc.Arbitrary<OutcomeMessage> = fc.record(
  {
    v: fc.constant(1 as const),
    id: text,
    target: text,
    asset: fc.record({ entityType: fc.constant('table' as const), fqn: text, key: text }),
    at: fc.double({ noNaN: true, noDefaultInfinity: true }),
    lane: text,
    epoch: fc.nat(),
    configRevision: fc.nat(),
    items: fc.array(item, { maxLength: 60, size: 'max' }),
    superseded: fc.array(superseded, { maxLength: 60, size: 'max' }),
    settles: fc.array(fc.nat()),
    state: fc.constant({ v: 1 as const, fields: { '"items":[]': { hash: 'h' } }, recent: [], settled: [1] }),
    stateObject: fc.constant({ sequences: [1, 2], bytes: 3, sha256: 'h' }),
  },
  {
    requiredKeys: [
      'v',
      'id',
      'target',
      'asset',
      'at',
      'lane',
      'epoch',
      'configRevision',
      'items',
      'superseded',
      'settles',
      'state',
    ],
  },
);

describe('the text of an outcome', () => {
  it('is what JSON.stringify makes, for the whole and for its parts', () => {
    fc.assert(
      fc.property(message, (whole) => {
        const texts = new OutcomeTexts();
        const expected = JSON.stringify(whole);
        expect(texts.leastSize(whole)).toBeLessThanOrEqual(Buffer.byteLength(expected));
        expect(texts.whole(whole)).toBe(expected);
        expect(texts.sizeOf(whole)).toBe(Buffer.byteLength(expected));
        for (const one of whole.items) expect(texts.sizeOfItem(one)).toBe(Buffer.byteLength(JSON.stringify(one)));
        const part = { ...whole, items: whole.items.slice(1), id: `${whole.id}.1`, settles: [] };
        expect(texts.whole(part)).toBe(JSON.stringify(part));
      }),
    );
  });
});
