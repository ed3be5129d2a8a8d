import { describe, expect, it } from 'vitest';
import type { ActorContext, Behavior, StopReason } from './index.ts';
import { KernelUsageError, restart } from './index.ts';
import { recorder, testSystem } from './test-recorder.ts';

describe('stop', () => {
  it('waits for the running handler, which sees the signal, then for the children, then calls stopped', async () => {
    const { kit, system } = testSystem();
    const log: string[] = [];
    const parent: Behavior<number, string> = {
      start: (ctx) => {
        ctx.spawn(recorder(kit, log), { name: 'child' }).tell('wait 30');
        return 0;
      },
      receive: async (n, _, ctx) => {
        await kit.sleep(20);
        log.push(`aborted: ${ctx.signal.aborted}`);
        expect(() => ctx.spawn(recorder(kit, log), { name: 'late' })).toThrow(KernelUsageError);
        return n;
      },
      stopped: () => {
        log.push('parent stopped');
      },
    };
    const ref = system.spawn(parent, { name: 'parent' });
    ref.tell('work');
    await kit.advance(5);
    const stop = system.stop(1000);
    await kit.run();
    expect(await stop).toEqual({ abandoned: [] });
    expect(log).toEqual(['start', 'wait 30', 'aborted: true', 'stopped after 1: stop', 'parent stopped']);
    expect(kit.clock.now()).toBe(30);
  });

  it('lets a running handler cut itself short by the signal', async () => {
    const { kit, system } = testSystem();
    const until = (signal: AbortSignal) => new Promise((resolve) => signal.addEventListener('abort', resolve));
    const ref = system.spawn<number, string>(
      { start: () => 0, receive: (_, __, ctx) => until(ctx.signal).then(() => 1) },
      { name: 'r' },
    );
    ref.tell('until the end');
    await kit.settle();
    const stop = ref.stop();
    await kit.settle();
    await stop;
    expect([kit.clock.now(), system.undelivered.total]).toEqual([0, 0]);
  });

  it('gives up on a handler that never ends, and still stops its children', async () => {
    const { kit, system, lines } = testSystem();
    const log: string[] = [];
    const parent: Behavior<number, string> = {
      start: (ctx) => Number(ctx.spawn(recorder(kit, log), { name: 'child' }).tell('a')),
      receive: () => new Promise(() => undefined),
    };
    const ref = system.spawn(parent, { name: 'parent', stopTimeoutMs: 100 });
    ref.tell('hang');
    await kit.settle();
    const stop = ref.stop();
    await kit.run();
    await stop;
    expect(log).toEqual(['start', 'a', 'stopped after 1: stop']);
    expect(lines().slice(-4)).toEqual([
      'parent abandoned hang',
      'parent abandoned',
      'parent/child stopped: stop',
      'parent stopped: stop',
    ]);
    expect(kit.clock.now()).toBe(100);
  });

  it('of the system names what it had to abandon', async () => {
    const { kit, system } = testSystem();
    const ref = system.spawn(recorder(kit, []), { name: 'r' });
    ref.tell('hang');
    await kit.settle();
    const stop = system.stop(200);
    await kit.run();
    expect(await stop).toEqual({ abandoned: ['r'] });
    expect(kit.clock.now()).toBe(200);
    expect(() => system.spawn(recorder(kit, []), { name: 'new' })).toThrow(KernelUsageError);
  });

  it('from inside, during a restart and twice calls stopped once', async () => {
    const { kit, system } = testSystem();
    const reasons: StopReason['kind'][] = [];
    const behavior: Behavior<number, string> = {
      start: () => 0,
      receive: (n, msg, ctx: ActorContext<string>) => {
        if (msg === 'fail') throw new Error(msg);
        ctx.stop();
        return n;
      },
      stopped: (_, __, reason) => {
        reasons.push(reason.kind);
      },
    };
    const inside = system.spawn(behavior, { name: 'inside' });
    inside.tell('stop');
    const restarting = system.spawn(behavior, { name: 'restarting', supervision: restart({ minMs: 1000 }) });
    restarting.tell('fail');
    await kit.settle();
    const stops = Promise.all([inside.stop(), inside.stop(), restarting.stop()]);
    await kit.settle();
    await stops;
    expect(reasons).toEqual(['stop', 'restart']);
    expect(kit.clock.now()).toBe(0);
  });

  it('frees the name', async () => {
    const { kit, system } = testSystem();
    const ref = system.spawn(recorder(kit, []), { name: 'r' });
    expect(() => system.spawn(recorder(kit, []), { name: 'r' })).toThrow(/alive already/);
    const stop = ref.stop();
    await kit.run();
    await stop;
    expect(system.spawn(recorder(kit, []), { name: 'r' }).tell('a')).toBe(true);
  });
});
