import { describe, expect, it } from 'vitest';
import { SLOTS } from '../domain/asset.ts';
import { type CarriedFloors, carryFloors, parseCarriedFloors, startAfter, wasAcknowledged } from './carried-floors.ts';

const carried = (floors: readonly number[], partitions = 1): CarriedFloors => ({
  revision: 2,
  partitions,
  floors: [...floors],
  unclean: false,
});

describe('the floors that a change of partitions carries over', () => {
  it('are those of the lane that read the slot', () => {
    const left = [0, 1, 2].map((partition) => ({ partition, partitions: 3, ackFloor: 100 + partition }));
    const floors = carryFloors(left, undefined, 999);
    expect(floors).toHaveLength(SLOTS);
    for (const [slot, floor] of floors.entries()) expect(floor).toBe(100 + (slot % 3));
  });

  it('stay where they were carried to when a lane in between never ran', () => {
    const before = carried(Array.from({ length: SLOTS }, (_, slot) => slot));
    const left = [
      { partition: 0, partitions: 2, ackFloor: 50 },
      { partition: 1, partitions: 2, ackFloor: undefined },
    ];
    const floors = carryFloors(left, before, 999);
    expect(floors.slice(0, 4)).toEqual([50, 1, 50, 3]);
    expect(floors[62]).toBe(62);
    expect(floors[63]).toBe(63);
  });

  it('are the end of the stream where nobody ever read', () => {
    expect(new Set(carryFloors([{ partition: 0, partitions: 1, ackFloor: undefined }], undefined, 7))).toEqual(
      new Set([7]),
    );
  });

  it('tell a lane where to start and which changes are behind it', () => {
    const floors = carried(
      carryFloors(
        [0, 1].map((p) => ({ partition: p, partitions: 2, ackFloor: 10 * (p + 1) })),
        undefined,
        0,
      ),
      4,
    );
    expect(startAfter(floors, (slot) => slot % 4 === 1)).toBe(20);
    expect(startAfter(floors, () => true)).toBe(10);
    expect(wasAcknowledged(floors, 'change.pg.2.table.abc', 10)).toBe(true);
    expect(wasAcknowledged(floors, 'change.pg.2.table.abc', 11)).toBe(false);
    expect(wasAcknowledged(floors, 'change.pg.3.table.abc', 20)).toBe(true);
    expect(wasAcknowledged(floors, 'change.pg.3.table.abc', 21)).toBe(false);
  });

  it('come back from their text, and from no other', () => {
    const floors = carried(Array.from({ length: SLOTS }, () => 3));
    expect(parseCarriedFloors(JSON.stringify(floors))).toEqual(floors);
    for (const bad of ['', '{}', JSON.stringify({ ...floors, floors: [1, 2] })])
      expect(parseCarriedFloors(bad)).toBeUndefined();
  });
});
