import { describe, expect, it } from 'vitest';
import type { Behavior, SpawnOptions } from './index.ts';
import { restart } from './index.ts';
import { createProbe } from './test-kit.ts';
import { recorder, testSystem } from './test-recorder.ts';

describe('supervision', () => {
  async function fed(options: Partial<SpawnOptions<string>>, messages: readonly string[]) {
    const { kit, system, lines } = testSystem();
    const log: string[] = [];
    const ref = system.spawn(recorder(kit, log), { name: 'r', ...options });
    for (const msg of messages) ref.tell(msg);
    await kit.run();
    return { log, lines: lines() };
  }

  it('stops by default: the failed message and those behind it are reported', async () => {
    const { log, lines } = await fed({}, ['a', 'fail', 'b']);
    expect(log).toEqual(['start', 'a', 'fail', 'stopped after 1: failed']);
    expect(lines).toEqual(['r started', 'r failed: stop', 'r failed fail', 'r stopped b', 'r stopped: failed']);
  });

  it('resumes with the state as it was', async () => {
    const { log, lines } = await fed({ supervision: 'resume', failedMessage: { redeliver: 1 } }, ['a', 'fail', 'b']);
    expect(log).toEqual(['start', 'a', 'fail', 'fail', 'b']);
    expect(lines).toEqual(['r started', 'r failed: resume', 'r failed: resume', 'r failed fail']);
  });

  it('restarts after growing delays, keeps what waits in order, and stops at the limit', async () => {
    const supervision = restart({ minMs: 10, maxMs: 1000, factor: 4, jitter: 0, maxRestarts: 2 });
    const { log, lines } = await fed({ supervision }, ['fail 1', 'a', 'fail 2', 'b', 'fail 3', 'c']);
    const again = 'stopped after 0: restart';
    expect(log).toEqual([
      'start',
      'fail 1',
      again,
      'start',
      'a',
      'fail 2',
      'stopped after 1: restart',
      'start',
      'b',
      'fail 3',
      'stopped after 1: failed',
    ]);
    expect(lines.filter((text) => text.includes('restarting'))).toEqual(['r restarting in 10', 'r restarting in 40']);
    expect(lines).toContain('r stopped c');
  });

  it('restarts a start that fails', async () => {
    const { kit, system } = testSystem();
    let starts = 0;
    const probe = createProbe<string>();
    const start = () => {
      starts += 1;
      if (starts < 3) throw new Error('not yet');
      return 0;
    };
    const receive = (_: number, msg: string) => Number(probe.tell(msg));
    system.spawn({ start, receive }, { name: 'r', supervision: restart() }).tell('kept');
    await kit.run();
    expect([starts, probe.messages]).toEqual([3, ['kept']]);
  });

  it('escalates to the parent, which restarts with a new child', async () => {
    const { kit, system, lines } = testSystem();
    const log: string[] = [];
    const parent: Behavior<(msg: string) => boolean, string> = {
      start: (ctx) => {
        const child = ctx.spawn(recorder(kit, log), { name: 'child', supervision: 'escalate' });
        return (msg) => child.tell(msg);
      },
      receive: (toChild, msg) => {
        toChild(msg);
        return toChild;
      },
    };
    const ref = system.spawn(parent, { name: 'parent', supervision: restart({ minMs: 5, jitter: 0 }) });
    ref.tell('fail');
    await kit.run();
    ref.tell('a');
    await kit.run();
    expect(log).toEqual(['start', 'fail', 'stopped after 0: failed', 'start', 'a']);
    expect(lines()).toContain('parent restarting in 5');
  });

  it('tells the outside of an escalation at the top', async () => {
    const { lines } = await fed({ supervision: 'escalate' }, ['fail']);
    expect(lines).toContain('r escalated');
  });
});
