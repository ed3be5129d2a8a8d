import { describe, expect, it } from 'vitest';
import {
  ActorStoppedError,
  createActorSystem,
  KernelUsageError,
  type KeyedOptions,
  MailboxFullError,
} from './index.ts';
import { createTestKit } from './test-kit.ts';

function keyedSystem(options: Partial<KeyedOptions<number, string>> = {}, stopMs = 0) {
  const kit = createTestKit();
  const { clock, random, scheduler } = kit;
  const system = createActorSystem({ clock, random, scheduler });
  const log: string[] = [];
  const group = system.keyed<number, string>('asset', {
    behavior: (key) => ({
      start: () => {
        log.push(`+${key}`);
        return 0;
      },
      receive: async (count, msg, ctx) => {
        log.push(`${key} ${msg}`);
        if (msg.startsWith('wait')) await kit.sleep(Number(msg.slice(5)));
        if (msg.startsWith('timer')) ctx.after(Number(msg.slice(6)), 'fired');
        if (msg === 'fail') throw new Error(msg);
        return count + 1;
      },
      stopped: async (_, __, reason) => {
        await kit.sleep(stopMs);
        log.push(`-${key} ${reason.kind}`);
      },
    }),
    idleMs: 100,
    maxResident: 2,
    ...options,
  });
  return { kit, system, group, log };
}

describe('keyed actors', () => {
  it('come with the first message, stay while messages come, and leave when idle', async () => {
    const { kit, group, log } = keyedSystem();
    const ref = group.refFor('a');
    await kit.settle();
    expect([group.residents, log]).toEqual([0, []]);
    ref.tell('1');
    await kit.advance(80);
    ref.tell('2');
    await kit.advance(80);
    expect([group.residents, log]).toEqual([1, ['+a', 'a 1', 'a 2']]);
    await kit.run();
    expect([group.residents, log.slice(3)]).toEqual([0, ['-a passivated']]);
    ref.tell('3');
    await kit.settle();
    expect(log.slice(4)).toEqual(['+a', 'a 3']);
  });

  it('hand messages that come while they leave to their next incarnation, in order and bounded', async () => {
    const { kit, system, group, log } = keyedSystem({ mailbox: { capacity: 2 } }, 50);
    const ref = group.refFor('a');
    ref.tell('1');
    await kit.advance(120);
    expect([ref.tell('2'), ref.tell('3'), ref.tell('4')]).toEqual([true, true, false]);
    const offered = ref.offer('5');
    await kit.advance(50);
    await offered;
    expect(log).toEqual(['+a', 'a 1', '-a passivated', '+a', 'a 2', 'a 3', 'a 5']);
    expect(system.undelivered.counts.full).toBe(1);
  });

  it('make room for others: the least recently active idle one leaves', async () => {
    const { kit, group, log } = keyedSystem({}, 10);
    for (const key of ['a', 'b', 'a']) {
      group.refFor(key).tell('x');
      await kit.advance(1);
    }
    expect(group.refFor('c').tell('x')).toBe(true);
    await kit.advance(5);
    expect(log.at(-1)).toBe('a x');
    await kit.advance(10);
    expect(log.slice(-3)).toEqual(['-b passivated', '+c', 'c x']);
    expect(group.residents).toBe(2);
  });

  it('when all are busy refuse a tell and let an offer wait for the first to come to rest', async () => {
    const { kit, system, group, log } = keyedSystem({ maxWaiting: 2 });
    group.refFor('a').tell('wait 50');
    group.refFor('b').tell('wait 20');
    await kit.settle();
    const [c, d] = [group.refFor('c'), group.refFor('d')];
    expect([c.tell('1'), c.room().messages]).toEqual([false, 0]);
    const offers = [c.offer('2'), c.offer('3')];
    await expect(d.offer('4')).rejects.toBeInstanceOf(MailboxFullError);
    expect(c.tell('must not overtake')).toBe(false);
    await kit.advance(30);
    await Promise.all(offers);
    expect(log.slice(4)).toEqual(['-b passivated', '+c', 'c 2', 'c 3']);
    expect(system.undelivered.counts['no-room']).toBe(3);
  });

  it('are not idle while a timer is pending', async () => {
    const { kit, group, log } = keyedSystem();
    group.refFor('a').tell('timer 1000');
    await kit.advance(500);
    expect(group.residents).toBe(1);
    await kit.run();
    expect(log).toEqual(['+a', 'a timer 1000', 'a fired', '-a passivated']);
  });

  it('that fail leave with what waited reported, and come again with the next message', async () => {
    const { kit, system, group, log } = keyedSystem({}, 10);
    const ref = group.refFor('a');
    for (const msg of ['fail', 'behind']) ref.tell(msg);
    await kit.settle();
    expect(ref.tell('next')).toBe(true);
    await kit.advance(10);
    expect(log).toEqual(['+a', 'a fail', '-a failed', '+a', 'a next']);
    expect([system.undelivered.counts.failed, system.undelivered.counts.stopped]).toEqual([1, 1]);
  });

  it('stop with their group: the running handler ends, what waits is reported, nothing comes again', async () => {
    const { kit, system, group, log } = keyedSystem({ maxResident: 1 }, 10);
    const [a, b] = [group.refFor('a'), group.refFor('b')];
    for (const msg of ['wait 50', 'behind']) a.tell(msg);
    await kit.settle();
    const waiting = b.offer('no place');
    const stop = group.stop();
    await expect(waiting).rejects.toBeInstanceOf(ActorStoppedError);
    expect([a.tell('late'), b.tell('late')]).toEqual([false, false]);
    await kit.run();
    await stop;
    expect(log).toEqual(['+a', 'a wait 50', '-a stop']);
    expect([group.residents, system.undelivered.counts.stopped]).toEqual([0, 4]);
    expect(await system.stop(1)).toEqual({ abandoned: [] });
  });

  it('answer questions', async () => {
    const { kit, system } = keyedSystem();
    const echo = system.keyed<undefined, { tell(text: string): boolean }>('echo', {
      behavior: (key) => ({ start: () => undefined, receive: (_, replyTo) => void replyTo.tell(`I am ${key}`) }),
      idleMs: 10,
      maxResident: 1,
    });
    const answer = echo.refFor('k').ask<string>((replyTo) => replyTo, { timeoutMs: 5 });
    await kit.run();
    expect(await answer).toBe('I am k');
  });

  it('refuse limits that make no sense', () => {
    expect(() => keyedSystem({ maxResident: 0 })).toThrow(KernelUsageError);
    expect(() => keyedSystem({ idleMs: -1 })).toThrow(KernelUsageError);
  });
});
