import { describe, expect, it } from 'vitest';
import { createActorSystem, KernelUsageError, type SystemEvent } from './index.ts';

// The only tests of the kernel on the real scheduler; all others own time.
describe('actor system on the real scheduler', () => {
  it('handles everything that was offered to many keyed actors through a few places', async () => {
    const system = createActorSystem();
    const sums = new Map<string, number>();
    const group = system.keyed<string, number>('sum', {
      behavior: (key) => ({
        start: () => key,
        receive: async (_, n) => {
          await Promise.resolve();
          sums.set(key, (sums.get(key) ?? 0) + n);
          return key;
        },
      }),
      idleMs: 60_000,
      maxResident: 10,
      mailbox: { capacity: 4 },
    });
    const refs = Array.from({ length: 500 }, (_, i) => group.refFor(`k${i}`));
    for (let n = 1; n <= 20; n += 1) await Promise.all(refs.map((ref) => ref.offer(n)));
    while ([...sums.values()].reduce((sum, n) => sum + n, 0) < 500 * 210) {
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(new Set(sums.values())).toEqual(new Set([210]));
    expect(group.residents).toBeLessThanOrEqual(20);
    expect(await system.stop(1000)).toEqual({ abandoned: [] });
    expect(system.undelivered.total).toBe(0);
  });

  it('shows listeners the events one after the other, also those that a listener causes', async () => {
    const system = createActorSystem();
    const seen: string[] = [];
    const ref = system.spawn<number, string>({ start: () => 0, receive: (n) => n }, { name: 'r' });
    const note = (who: string) => (event: SystemEvent) => {
      seen.push(`${who}: ${event.type === 'undelivered' ? `${event.reason} ${event.message}` : event.type}`);
      if (who === 'first' && event.type === 'stopped') ref.tell('from a listener');
    };
    system.events.subscribe(note('first'));
    system.events.subscribe(note('second'));
    await system.stop(1000);
    const both = (text: string) => [`first: ${text}`, `second: ${text}`];
    expect(seen.slice(-4)).toEqual([...both('stopped'), ...both('stopped from a listener')]);
  });

  it('refuses a throughput of nothing', () => {
    expect(() => createActorSystem({ throughput: 0 })).toThrow(KernelUsageError);
  });
});
