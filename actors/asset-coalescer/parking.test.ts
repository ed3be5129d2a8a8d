import { describe, expect, it } from 'vitest';
import { NO_HOLDS } from '../../src/channels/channel-holds.ts';
import { owner, type Streams, streams } from '../../test/support/coalescer-world.ts';
import { T0 } from '../../test/support/lane-samples.ts';

/** Six tables with a change each, all locked: all wait, and half of the credits is four. */
async function sixLocked(world: Streams, options: Parameters<typeof owner>[1] = {}) {
  const lane = owner(world, options);
  for (let i = 1; i <= 6; i += 1) await lane.change(i, `t${i}`);
  await lane.round(() => true);
  await lane.kit.settle();
  return lane;
}

describe('parking', () => {
  it('acknowledges a change of a waiting asset only when its copy lies parked and its state names it', async () => {
    const world = streams();
    const lane = await sixLocked(world);
    expect(world.parked()).toEqual(world.acks);
    expect(world.acks).toHaveLength(2);
    const named = world.outcomes.flatMap(({ state }) => Object.keys(state.parked ?? {}).map(Number));
    expect(named.sort()).toEqual([...world.acks].sort());
    expect(world.outcomes.every(({ items, settles }) => items.length === 0 && settles.length === 0)).toBe(true);
    expect(lane.progress()).toEqual({ held: 6, parked: 2 });
  });

  it('loads it when it is due, and records it like any other', async () => {
    const world = streams();
    const lane = await sixLocked(world);
    await lane.kit.advance(60_000);
    await lane.round();
    await lane.kit.settle();
    expect(world.statuses()).toEqual([1, 2, 3, 4, 5, 6].map((sequence) => [sequence, 'applied']));
    expect([...world.acks].sort()).toEqual([1, 2, 3, 4, 5, 6]);
    expect(world.parked()).toEqual([]);
    expect(world.outcomes.at(-1)?.state.parked).toBeUndefined();
    expect(lane.progress()).toEqual({ held: 0, parked: 0 });
  });

  it('keeps counting the attempts of what was parked', async () => {
    const world = streams();
    const lane = await sixLocked(world);
    await lane.kit.advance(60_000);
    for (let i = 0; i < 8; i += 1) await lane.tell({ type: 'demand', fields: 100 });
    expect(lane.works.flat().flatMap(({ fields }) => fields.map(({ attempts }) => attempts))).toEqual([
      1, 1, 1, 1, 1, 1,
    ]);
  });

  it('merges what comes for a parked asset: one write of the newest text when it is due', async () => {
    const world = streams();
    const lane = await sixLocked(world);
    const [first = 0] = world.acks;
    await lane.change(7, `t${first}`);
    for (let i = 0; i < 8; i += 1) await lane.tell({ type: 'demand', fields: 100 });
    expect(lane.texts()).toEqual([]);
    await lane.kit.advance(60_000);
    expect(lane.texts().filter(([table]) => table === `t${first}`)).toEqual([[`t${first}`, 'text 7']]);
    await lane.answer(() => false);
    await lane.kit.settle();
    expect(world.statuses().filter(([sequence]) => sequence === first || sequence === 7)).toEqual([
      [first, 'e7'],
      [7, 'applied'],
    ]);
  });

  it('acknowledges a parked change that is delivered again, and decides it once', async () => {
    const world = streams();
    const lane = await sixLocked(world);
    const [first = 0] = world.acks;
    await lane.change(first, `t${first}`);
    expect(world.acks.filter((sequence) => sequence === first)).toHaveLength(2);
    await lane.kit.advance(60_000);
    await lane.round();
    await lane.kit.settle();
    expect(world.statuses().filter(([sequence]) => sequence === first)).toEqual([[first, 'applied']]);
  });

  it('what cannot be copied keeps its credits and loses nothing', async () => {
    const world = streams();
    const lane = await sixLocked(world, { park: false });
    expect([world.acks, world.outcomes]).toEqual([[], []]);
    await lane.kit.advance(60_000);
    await lane.round();
    await lane.kit.settle();
    expect(world.statuses()).toEqual([1, 2, 3, 4, 5, 6].map((sequence) => [sequence, 'applied']));
  });

  it('the next owner finds what was parked', async () => {
    const world = streams();
    await sixLocked(world);
    const parked = [...world.acks].sort();
    const next = owner(world, { epoch: 9 });
    await next.kit.settle();
    await next.kit.advance(1_000);
    await next.round();
    await next.kit.settle();
    expect(world.statuses()).toEqual(parked.map((sequence) => [sequence, 'applied']));
    expect(world.parked()).toEqual([]);
  });

  it('the next owner finds what was parked also when the outcome that names it came in late, by its redelivery', async () => {
    const world = streams();
    await sixLocked(world);
    const [first = 0] = world.acks;
    const named = [...world.last].filter(([, { data }]) => data.toString().includes(`"parked":{"${first}":`));
    for (const [subject] of named) world.last.delete(subject);
    const next = owner(world, { epoch: 4, fence: T0 + 60_000 });
    await next.kit.advance(1_000);
    for (const [subject, outcome] of named) world.last.set(subject, outcome);
    await next.change(first, `t${first}`);
    await next.kit.advance(1_000);
    await next.round();
    await next.kit.settle();
    await next.round();
    await next.kit.settle();
    expect(world.statuses()).toContainEqual([first, 'applied']);
    expect(world.parked()).not.toContain(first);
  });

  it('copies that no state names are removed by the next owner, but not while a late outcome may still name them', async () => {
    const world = streams();
    const lane = await sixLocked(world);
    await lane.kit.advance(60_000);
    await lane.round();
    await lane.kit.settle();
    const settled = world.statuses();
    const [key = ''] = world.copies.keys();
    world.copies
      .get(key)
      ?.set(1, { sequence: 1, streamTime: T0, headers: {}, data: Buffer.from(world.bodies.get(1) ?? '') });
    const next = owner(world, { epoch: 9, fence: T0 + 30_000 });
    await next.kit.advance(20_000);
    expect(world.parked()).toEqual([1]);
    await next.kit.advance(20_000);
    expect(world.parked()).toEqual([]);
    await next.round();
    expect(world.statuses()).toEqual(settled);
  });

  it('a parked change that is gone from everywhere ends with a reason', async () => {
    const world = streams();
    await sixLocked(world);
    const [first = 0, second = 0] = world.acks;
    for (const copies of world.copies.values()) copies.delete(first);
    const next = owner(world, { epoch: 9 });
    await next.kit.advance(1_000);
    await next.round();
    await next.kit.settle();
    // Nothing leads to the first one any more until something comes for its asset.
    expect(world.statuses()).toEqual([[second, 'applied']]);
    await next.change(20, `t${first}`);
    await next.kit.advance(1_000);
    await next.round();
    await next.kit.settle();
    expect(world.statuses()).toEqual(
      [
        [first, 'skipped'],
        [second, 'applied'],
        [20, 'applied'],
      ].sort(([a], [b]) => Number(a) - Number(b)),
    );
  });

  it('what a paused channel holds back is parked like what is tried again, and all of it is written when it is resumed', async () => {
    const world = streams();
    const lane = owner(world);
    await lane.tell({ type: 'holds', holds: { paused: new Set(['docs']), guarded: new Map() } });
    for (let i = 1; i <= 6; i += 1) await lane.change(i, `t${i}`);
    await lane.round();
    await lane.kit.settle();
    expect([world.parked().length, world.acks.length, lane.progress()]).toEqual([2, 2, { held: 6, parked: 2 }]);
    // A newer text of one that is parked, and of one that is not.
    const [parked = 0] = world.parked();
    const inHand = [1, 2, 3, 4, 5, 6].find((sequence) => !world.parked().includes(sequence)) ?? 0;
    await lane.change(7, `t${parked}`, { entity: { description: 'newer' } });
    await lane.change(8, `t${inHand}`, { entity: { description: 'newer' } });
    await lane.round();
    await lane.kit.advance(10 * 60_000);
    expect(world.statuses()).toEqual([]);
    await lane.tell({ type: 'holds', holds: NO_HOLDS });
    for (let i = 0; i < 5; i += 1) {
      await lane.round();
      await lane.kit.advance(1_000);
    }
    const expected = [1, 2, 3, 4, 5, 6, 7, 8].map((sequence) => {
      if (sequence === parked) return [sequence, 'e7'];
      return [sequence, sequence === inHand ? 'e8' : 'applied'];
    });
    expect(world.statuses()).toEqual(expected);
    expect([...world.acks].sort((a, b) => a - b)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    expect([world.parked(), lane.progress()]).toEqual([[], { held: 0, parked: 0 }]);
  });

  it('is not settled because it is acknowledged: another change of the asset may be, and the ack floor be above both', async () => {
    const world = streams();
    const lane = owner(world, { ackFloor: 1_000 });
    const columns = [{ name: 'amount', dataType: 'INT', tags: [], description: 'a text' }];
    const change = { changes: [['columns.amount.description', '', 'a text']], entity: { columns } } as const;
    for (let i = 1; i <= 5; i += 1) await lane.change(i, `t${i}`, change);
    for (let i = 6; i <= 10; i += 1) await lane.change(i, `t${i - 5}`, { entity: { columns } });
    await lane.round((_table, key) => key !== 'description');
    await lane.kit.settle();
    expect(world.parked().length).toBeGreaterThan(0);
    const states = [...world.last.values()].map(({ data }) => JSON.parse(Buffer.from(data).toString()).state);
    expect(states.some(({ parked, settledUpTo }) => parked !== undefined && settledUpTo !== undefined)).toBe(true);
    await lane.kit.advance(60_000);
    await lane.round();
    await lane.kit.settle();
    expect(world.statuses()).toEqual(Array.from({ length: 10 }, (_, i) => [i + 1, 'applied']));
  });
});
