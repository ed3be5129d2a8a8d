import { ROOT_CONTEXT } from '@opentelemetry/api';
import { describe, expect, it } from 'vitest';
import type { Behavior } from './index.ts';
import { ActorStoppedError, MailboxFullError } from './index.ts';
import { createProbe } from './test-kit.ts';
import { recorder, testSystem } from './test-recorder.ts';

describe('messages', () => {
  it('are handled in order, each with the state that the one before returned', async () => {
    const { kit, system } = testSystem();
    const probe = createProbe<string>();
    const ref = system.spawn<string, string>(
      {
        start: () => '',
        receive: (text, msg) => {
          probe.tell(text + msg);
          return text + msg;
        },
      },
      { name: 'text' },
    );
    for (const letter of 'abc') expect(ref.tell(letter)).toBe(true);
    expect(probe.messages).toEqual([]);
    await kit.run();
    expect(probe.messages).toEqual(['a', 'ab', 'abc']);
  });

  it('beyond the capacity: tell is refused and reported, offer waits', async () => {
    const { kit, system, lines } = testSystem();
    const log: string[] = [];
    const ref = system.spawn(recorder(kit, log), { name: 'r', mailbox: { capacity: 1 } });
    expect([ref.tell('a'), ref.tell('b')]).toEqual([true, false]);
    const offered = ref.offer('c');
    expect(ref.room().messages).toBe(0);
    await kit.run();
    await offered;
    expect(log).toEqual(['start', 'a', 'c']);
    expect(lines()).toContain('r full b');
    expect(system.undelivered.counts.full).toBe(1);
  });

  it('whose overflow policy is to refuse make an offer reject', async () => {
    const { kit, system } = testSystem();
    const ref = system.spawn(recorder(kit, []), { name: 'r', mailbox: { capacity: 1, overflow: 'refuse' } });
    await ref.offer('a');
    await expect(ref.offer('b')).rejects.toBeInstanceOf(MailboxFullError);
  });

  it('after the stop are refused, and those that wait are reported and reject', async () => {
    const { kit, system, lines } = testSystem();
    const ref = system.spawn(recorder(kit, []), { name: 'r', mailbox: { capacity: 1 }, describe: (msg) => `<${msg}>` });
    await ref.offer('a');
    const waiting = ref.offer('b');
    const stop = ref.stop();
    await expect(waiting).rejects.toBeInstanceOf(ActorStoppedError);
    expect(ref.tell('c')).toBe(false);
    await expect(ref.offer('d')).rejects.toBeInstanceOf(ActorStoppedError);
    await kit.run();
    await stop;
    expect(lines().filter((text) => text.startsWith('r stopped '))).toEqual(
      ['a', 'b', 'c', 'd'].map((m) => `r stopped ${m}`),
    );
    expect(system.undelivered.recent().map((record) => record.label)).toEqual(['<a>', '<b>', '<c>', '<d>']);
  });

  it('of one actor do not keep the others from their turn', async () => {
    const { kit, system } = testSystem({ throughput: 2 });
    const log: string[] = [];
    const [one, two] = ['one', 'two'].map((name) =>
      system.spawn<number, number>({ start: () => 0, receive: (_, m) => log.push(`${name} ${m}`) }, { name }),
    );
    for (const m of [1, 2, 3]) for (const ref of [one, two]) ref?.tell(m);
    await kit.run();
    expect(log).toEqual(['one 1', 'two 1', 'one 2', 'one 3', 'two 2', 'two 3']);
  });
});

describe('timers', () => {
  it('come ahead of the mailbox, carry the trace they were given, and end with the actor', async () => {
    const { kit, system } = testSystem();
    const key = Symbol('who');
    const trace = ROOT_CONTEXT.setValue(key, 'timer');
    const log: string[] = [];
    const behavior: Behavior<number, string> = {
      start: (ctx) => {
        ctx.after(10, 'timer', { trace });
        ctx.after(10, 'never').cancel();
        ctx.after(500, 'too late');
        return 0;
      },
      receive: async (n, msg, ctx) => {
        log.push(`${msg} of ${String(ctx.trace.getValue(key))}`);
        if (msg === 'long') await kit.sleep(50);
        return n;
      },
    };
    const ref = system.spawn(behavior, { name: 'r' });
    for (const msg of ['long', 'after']) ref.tell(msg);
    await kit.advance(100);
    const stop = ref.stop();
    await kit.run();
    await stop;
    expect(log).toEqual(['long of undefined', 'timer of timer', 'after of undefined']);
    expect(kit.clock.now()).toBe(100);
  });

  it('do not come once they are cancelled, also when they had fired meanwhile', async () => {
    const { kit, system } = testSystem();
    const log: string[] = [];
    const behavior: Behavior<number, string> = {
      start: () => 0,
      receive: async (n, msg, ctx) => {
        log.push(msg);
        if (msg !== 'go') return n;
        const timers = ['cancelled', 'kept'].map((name) => ctx.after(10, name));
        await kit.sleep(50);
        timers[0]?.cancel();
        return n;
      },
    };
    system.spawn(behavior, { name: 'r' }).tell('go');
    await kit.advance(100);
    expect(log).toEqual(['go', 'kept']);
  });
});
