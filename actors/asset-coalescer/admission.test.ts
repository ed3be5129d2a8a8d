import { describe, expect, it } from 'vitest';
import { owner, streams } from '../../test/support/coalescer-world.ts';
import type { DrainAnswer } from './coalescer-messages.ts';

/** A coalescer whose stream gives states only when it is told to. */
function world() {
  const requests: { readonly subjects: readonly string[]; readonly give: () => void }[] = [];
  const lane = owner(streams(), {
    onStates: (subjects) => new Promise<void>((give) => void requests.push({ subjects, give })),
  });
  const give = async (): Promise<void> => {
    requests.at(-1)?.give();
    await lane.kit.settle();
  };
  return { lane, give, asked: () => requests.map(({ subjects }) => subjects.length) };
}

describe('admission', () => {
  it('asks for one state after the other, then for all together that was met meanwhile', async () => {
    const { lane, give, asked } = world();
    await lane.change(1, 't1');
    for (const [sequence, table] of [
      [2, 't2'],
      [3, 't3'],
      [4, 't1'],
      [5, 't2'],
    ] as const)
      await lane.change(sequence, table);
    expect(asked()).toEqual([1]);
    expect(lane.progress()?.held).toBe(5);
    await give();
    expect(asked()).toEqual([1, 2]);
    await lane.tell({ type: 'demand', fields: 100 });
    expect(lane.texts()).toEqual([['t1', 'text 4']]);
    await give();
    await lane.tell({ type: 'demand', fields: 100 });
    expect(lane.texts().slice(1).sort()).toEqual([
      ['t2', 'text 5'],
      ['t3', 'text 3'],
    ]);
    expect(asked()).toEqual([1, 2]);
  });

  it('goes on with what is resident while it waits, and lets go of what waits when the lane drains', async () => {
    const { lane, give } = world();
    await lane.change(1, 't1');
    await give();
    await lane.change(2, 't2');
    await lane.round();
    expect(lane.progress()?.held).toBe(1);
    const answers: number[] = [];
    const replyTo = { name: 'test', tell: ({ returned }: DrainAnswer) => answers.push(returned) > 0 };
    await lane.tell({ type: 'drain', replyTo });
    expect(answers).toEqual([1]);
    await give();
    await lane.tell({ type: 'demand', fields: 100 });
    expect(lane.works).toEqual([]);
  });
});
