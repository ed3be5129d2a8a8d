import { describe, expect, it } from 'vitest';
import type { Behavior, Recipient } from './index.ts';
import { KernelUsageError } from './index.ts';
import { testSystem } from './test-recorder.ts';

describe('ask', () => {
  interface Question {
    readonly replyTo: Recipient<string>;
    readonly afterMs: number;
  }
  function responder(kit: { sleep(ms: number): Promise<void> }): Behavior<undefined, Question> {
    return {
      start: () => undefined,
      receive: async (_, { replyTo, afterMs }) => {
        if (afterMs < 0) throw new Error('no answer');
        await kit.sleep(afterMs);
        replyTo.tell('answer');
        return undefined;
      },
    };
  }

  it('resolves with the answer; a late one is reported', async () => {
    const { kit, system, lines } = testSystem();
    const ref = system.spawn(responder(kit), { name: 'oracle' });
    const soon = ref.ask<string>((replyTo) => ({ replyTo, afterMs: 10 }), { timeoutMs: 50 });
    const late = ref.ask<string>((replyTo) => ({ replyTo, afterMs: 100 }), { timeoutMs: 50 });
    const refused = expect(late).rejects.toMatchObject({ code: 'ask-timeout', class: 'transient' });
    await kit.run();
    expect(await soon).toBe('answer');
    await refused;
    expect(lines()).toContain('oracle? late-reply answer');
  });

  it('rejects at once when the message is refused, fails or is left behind', async () => {
    const { kit, system } = testSystem();
    const ref = system.spawn(responder(kit), { name: 'oracle', mailbox: { capacity: 2 } });
    const ask = (afterMs: number) => ref.ask<string>((replyTo) => ({ replyTo, afterMs }), { timeoutMs: 1000 });
    const outcomes = Promise.allSettled([ask(-1), ask(10), ask(10)]);
    await kit.settle();
    const codes = (await outcomes).map((outcome) => (outcome.status === 'rejected' ? outcome.reason.code : 'answered'));
    expect(codes).toEqual(['message-lost', 'actor-stopped', 'mailbox-full']);
    expect(kit.clock.now()).toBe(0);
  });

  it.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY])('needs a timeout: %d is refused', async (timeoutMs) => {
    const { kit, system } = testSystem();
    const ref = system.spawn(responder(kit), { name: 'oracle' });
    const asked = ref.ask<string>((replyTo) => ({ replyTo, afterMs: 0 }), { timeoutMs });
    await expect(asked).rejects.toBeInstanceOf(KernelUsageError);
  });
});
