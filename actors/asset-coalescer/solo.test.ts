import { describe, expect, it } from 'vitest';
import { owner, streams } from '../../test/support/coalescer-world.ts';
import type { SoloAnswer } from './solo-state.ts';

function world() {
  const lane = owner(streams());
  const answers: SoloAnswer[] = [];
  const replyTo = { name: 'test', tell: (answer: SoloAnswer) => answers.push(answer) > 0 };
  const tables = () => lane.works.flat().map(({ asset }) => asset.fqn.slice(-2));
  return { ...lane, answers, replyTo, tables };
}

describe('a change that is handled alone', () => {
  it('goes on when nothing else is under way, and the others after it', async () => {
    const { tell, change, hold, answer, answers, replyTo, tables } = world();
    await tell({ type: 'demand', fields: 100 }, { type: 'demand', fields: 100 });
    await change(1, 't1');
    await tell({ type: 'quiesce', replyTo });
    await change(2, 't2');
    expect([tables(), answers]).toEqual([['t1'], []]);
    await answer(() => false);
    expect([tables(), answers]).toEqual([[], ['quiet']]);
    await tell({ type: 'alone', change: hold(3, 't3'), replyTo });
    expect([tables(), answers]).toEqual([['t3'], ['quiet']]);
    await answer(() => false);
    await tell({ type: 'demand', fields: 100 });
    expect([tables(), answers]).toEqual([[], ['quiet', 'ended']]);
    await tell({ type: 'resume' });
    expect(tables()).toEqual(['t2']);
  });

  it('is survived when it has to wait: for a lock, for the target, for another time', async () => {
    const { tell, hold, answer, answers, replyTo } = world();
    await tell({ type: 'quiesce', replyTo }, { type: 'demand', fields: 100 });
    await tell({ type: 'alone', change: hold(1, 't1'), replyTo });
    expect(answers).toEqual(['quiet']);
    await answer(() => true);
    expect(answers).toEqual(['quiet', 'ended']);
    // Nobody asks for work: the target is away.
    await tell({ type: 'alone', change: hold(2, 't2'), replyTo });
    expect(answers).toEqual(['quiet', 'ended', 'ended']);
  });

  it('is stopped with the lane', async () => {
    const { tell, hold, answers, replyTo } = world();
    await tell({ type: 'quiesce', replyTo }, { type: 'demand', fields: 100 });
    await tell({ type: 'alone', change: hold(1, 't1'), replyTo });
    await tell({ type: 'drain', replyTo: { name: 'test', tell: () => true } });
    expect(answers).toEqual(['quiet', 'stopped']);
  });
});
