import { Subject } from 'rxjs';
import { describe, expect, it, vi } from 'vitest';
import type { ConfigPointer } from '../../streams/nats/config-store.ts';
import { followConfiguration } from './follow-configuration.ts';

const pointer = (revision: number): ConfigPointer => ({ revision, note: '', version: revision });

describe('followConfiguration', () => {
  it('tries again what could not be taken up, and only then goes on', async () => {
    const pointers = new Subject<ConfigPointer>();
    const taken: number[] = [];
    const troubles: number[] = [];
    let away = 2;
    const takeUp = async (revision: number): Promise<void> => {
      if (away > 0) {
        away -= 1;
        throw new Error('NATS is away');
      }
      taken.push(revision);
    };
    const onTrouble = (revision: number): void => void troubles.push(revision);
    const following = followConfiguration(pointers, { takeUp, onTrouble, retryMs: 1 }).subscribe();
    pointers.next(pointer(1));
    pointers.next(pointer(2));
    await vi.waitFor(() => expect(taken).toEqual([1, 2]));
    expect(troubles).toEqual([1, 1]);
    following.unsubscribe();
  });

  it('stops trying when nobody listens any more', async () => {
    const pointers = new Subject<ConfigPointer>();
    let tries = 0;
    const takeUp = (): Promise<void> => {
      tries += 1;
      return Promise.reject(new Error('NATS is away'));
    };
    const following = followConfiguration(pointers, { takeUp, onTrouble: () => undefined, retryMs: 1 }).subscribe();
    pointers.next(pointer(1));
    await vi.waitFor(() => expect(tries).toBeGreaterThan(2));
    following.unsubscribe();
    await new Promise((resolve) => setTimeout(resolve, 5));
    const then = tries;
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(tries).toBe(then);
  });
});
