import { describe, expect, it } from 'vitest';
import type { OutcomeItem } from '../../src/domain/outcome.ts';
import { sampleConfig, sampleHeld } from '../../test/support/lane-samples.ts';
import { splitBulk } from './split-bulk.ts';

function settled(sequence: number, items: number) {
  const item = (object: string): OutcomeItem => ({ sequence, eventId: 'e', object, status: 'skipped', reason: 'r' });
  return {
    delivery: sampleHeld(sequence, {}, sampleConfig([])).delivery,
    items: Array.from({ length: items }, (_, i) => item(`c${i}`)),
  };
}
const shape = (maxBytes: number, ...all: ReturnType<typeof settled>[]) =>
  splitBulk(all, maxBytes).map(({ items, settles }) => [
    items.length,
    settles.map(({ delivery }) => delivery.sequence),
  ]);

describe('splitBulk', () => {
  it('keeps together what fits', () => {
    expect(shape(100_000, settled(1, 2), settled(2, 1))).toEqual([[3, [1, 2]]]);
    expect(shape(100_000)).toEqual([]);
  });

  it('settles a sequence only with the part that holds its last item', () => {
    expect(shape(170, settled(1, 3), settled(2, 2))).toEqual([
      [2, []],
      [2, [1]],
      [1, [2]],
    ]);
  });

  it('an item above the limit stands alone', () => {
    expect(shape(1, settled(1, 2))).toEqual([
      [1, []],
      [1, [1]],
    ]);
  });
});
