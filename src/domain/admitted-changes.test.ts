import { describe, expect, it } from 'vitest';
import { AdmittedChanges } from './admitted-changes.ts';
import { change } from './ledger-samples.ts';
import { rankOf } from './rank.ts';

function admitted(sequence: number, open: number) {
  const received = change(sequence, 0, [], undefined);
  return { change: received, open, rank: rankOf(received.event, sequence) };
}

describe('AdmittedChanges', () => {
  it('tells which undos may still move: none of which something is decided, or that is gone', () => {
    const changes = new AdmittedChanges();
    changes.add(admitted(1, 1));
    changes.add({ ...admitted(2, 2), undo: [] });
    changes.add({ ...admitted(3, 1), undo: [] });
    // Delivered again: it takes the place of itself.
    changes.add({ ...admitted(3, 1), undo: [] });
    expect(changes.undos().map((one) => one.change.sequence)).toEqual([2, 3]);
    changes.closeOne(2);
    expect(changes.get(2)?.open).toBe(1);
    expect(changes.undos().map((one) => one.change.sequence)).toEqual([3]);
    changes.delete(3);
    expect(changes.undos()).toEqual([]);
    expect(changes.has(3)).toBe(false);
  });

  it('names the events that have open touches', () => {
    const changes = new AdmittedChanges();
    for (const one of [admitted(1, 1), admitted(2, 0)]) changes.add(one);
    const [first] = [changes.get(1)];
    expect([...changes.openEvents()]).toEqual([first?.change.event.id]);
    changes.closeOne(1);
    expect(changes.openEvents().size).toBe(0);
  });
});
