import { AsyncLocalStorage } from 'node:async_hooks';
import { describe, expect, it } from 'vitest';
import { createSystemScheduler, systemClock } from './scheduling.ts';

describe('system scheduler', () => {
  it('runs tasks later, in order, and those they make ready in the same macrotask', async () => {
    const scheduler = createSystemScheduler();
    const ran: string[] = [];
    scheduler.yield(() => {
      ran.push('first');
      scheduler.yield(() => ran.push('third'));
      setImmediate(() => ran.push('next macrotask'));
    });
    scheduler.yield(() => ran.push('second'));
    expect(ran).toEqual([]);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(ran).toEqual(['first', 'second', 'third', 'next macrotask']);
  });

  it('lets I/O in although tasks follow each other for ever', async () => {
    const scheduler = createSystemScheduler();
    let rounds = 0;
    let fired = false;
    const again = () => {
      rounds += 1;
      if (!fired && rounds < 50_000_000) scheduler.yield(again);
    };
    scheduler.yield(again);
    setTimeout(() => {
      fired = true;
    }, 1);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(fired).toBe(true);
    expect(rounds).toBeLessThan(50_000_000);
  });

  it('goes on with the other tasks when one throws', async () => {
    const scheduler = createSystemScheduler();
    const thrown = new Promise((resolve) => {
      const others = process.listeners('uncaughtException');
      process.removeAllListeners('uncaughtException');
      process.once('uncaughtException', (error) => {
        for (const listener of others) process.on('uncaughtException', listener);
        resolve(error);
      });
    });
    const after = new Promise((resolve) => {
      scheduler.yield(() => {
        throw new Error('a broken task');
      });
      scheduler.yield(() => resolve('ran'));
    });
    await expect(thrown).resolves.toMatchObject({ message: 'a broken task' });
    await expect(after).resolves.toBe('ran');
  });

  it('runs tasks and timers outside of the async-local storage of who scheduled them', async () => {
    const scheduler = createSystemScheduler();
    const storage = new AsyncLocalStorage<string>();
    const seen = await storage.run('sender', () =>
      Promise.all([
        new Promise((resolve) => scheduler.yield(() => resolve(storage.getStore()))),
        new Promise((resolve) => void scheduler.setTimer(0, () => resolve(storage.getStore()))),
      ]),
    );
    expect(seen).toEqual([undefined, undefined]);
  });

  it('does not fire a timer of more than 24.8 days at once, and cancels timers', async () => {
    const scheduler = createSystemScheduler();
    const fired: string[] = [];
    const long = scheduler.setTimer(3_000_000_000, () => fired.push('long'));
    const short = scheduler.setTimer(1, () => fired.push('short'));
    short.cancel();
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(fired).toEqual([]);
    long.cancel();
  });

  it('has a clock near the system time', () => {
    expect(Math.abs(systemClock.now() - Date.now())).toBeLessThan(60_000);
  });
});
