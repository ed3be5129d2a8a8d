import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type AssignableLane, assignLanes } from './assign-lanes.ts';

const lanesOf = (count: number, mark = ''): AssignableLane[] =>
  Array.from({ length: count }, (_, i) => ({ lane: `lane-${mark}${i}-0of1`, target: `${mark}${i}` }));
const membersOf = (count: number, mark = ''): string[] =>
  Array.from({ length: count }, (_, i) => `replica-${mark}${i}`);

function loads(assigned: ReadonlyMap<string, string>, members: readonly string[]): readonly number[] {
  return members.map((member) => [...assigned.values()].filter((owner) => owner === member).length);
}

function moved(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): readonly string[] {
  return [...before.keys()].filter((lane) => before.get(lane) !== after.get(lane));
}

const sizes = fc.record({
  lanes: fc.integer({ min: 1, max: 60 }),
  members: fc.integer({ min: 1, max: 6 }),
  mark: fc.string({ maxLength: 4 }),
});

describe('the assignment of lanes', () => {
  it('gives every lane to one member, and no member more than its share', () => {
    fc.assert(
      fc.property(sizes, ({ lanes, members, mark }) => {
        const names = membersOf(members, mark);
        const assigned = assignLanes(lanesOf(lanes, mark), names);
        expect(assigned.size).toBe(lanes);
        expect(Math.max(...loads(assigned, names))).toBeLessThanOrEqual(Math.ceil(lanes / members));
      }),
    );
  });

  it('depends on the sets alone, not on their order', () => {
    fc.assert(
      fc.property(sizes, ({ lanes, members, mark }) => {
        const forwards = assignLanes(lanesOf(lanes, mark), membersOf(members, mark));
        const backwards = assignLanes(lanesOf(lanes, mark).reverse(), membersOf(members, mark).reverse());
        expect([...backwards].sort()).toEqual([...forwards].sort());
      }),
    );
  });

  it('never moves a lane of those who stay to another of them, when the bound does not bind', () => {
    fc.assert(
      fc.property(sizes, ({ members, mark }) => {
        // One lane can always lie where it likes best.
        const [lane = { lane: '', target: '' }] = lanesOf(1, mark);
        const before = assignLanes([lane], membersOf(members, mark));
        const after = assignLanes([lane], membersOf(members + 1, mark));
        for (const name of moved(before, after)) expect(after.get(name)).toBe(`replica-${mark}${members}`);
      }),
    );
  });

  it.each([
    { lanes: 12, members: 1 },
    { lanes: 12, members: 2 },
    { lanes: 12, members: 3 },
    { lanes: 40, members: 4 },
    { lanes: 200, members: 4 },
  ])('moves little more than it has to when a member joins or leaves: %o', ({ lanes, members }) => {
    const rounds = 50;
    let moves = 0;
    for (let round = 0; round < rounds; round += 1) {
      const names = membersOf(members + 1, `${round}-`);
      const all = lanesOf(lanes, `${round}-`);
      const few = assignLanes(all, names.slice(0, members));
      const many = assignLanes(all, names);
      // Joining and leaving are the same step, in the two directions.
      moves += moved(few, many).length;
    }
    const needed = lanes / (members + 1);
    expect(moves / rounds).toBeLessThanOrEqual(1.35 * needed + 0.5);
  });

  it('spreads the partitions of one target over the members', () => {
    const partitions = (target: string, of: number): AssignableLane[] =>
      Array.from({ length: of }, (_, p) => ({ lane: `lane-${target}-${p}of${of}`, target }));
    for (let round = 0; round < 30; round += 1) {
      const all = [...partitions(`big${round}`, 4), ...lanesOf(8, `${round}-`)];
      const names = membersOf(4, `${round}-`);
      const assigned = assignLanes(all, names);
      const owners = partitions(`big${round}`, 4).map(({ lane }) => assigned.get(lane));
      expect(new Set(owners).size).toBe(4);
      expect(loads(assigned, names)).toEqual([3, 3, 3, 3]);
    }
  });

  it('gives nothing to nobody', () => {
    expect(assignLanes(lanesOf(3), []).size).toBe(0);
  });
});
