import { describe, expect, it } from 'vitest';
import type { ClearAsked } from '../../actors/lane/lane-ports.ts';
import type { GuardStore, StoredGuard } from '../../streams/nats/guard-store.ts';
import { StreamError } from '../../streams/nats/stream-error.ts';
import { sampleChannel } from '../../test/support/lane-samples.ts';
import { NEW_GUARD, parseGuard, releaseClears } from '../domain/clear-guard.ts';
import { SILENT_LOG } from '../telemetry/log.ts';
import { ClearGuards } from './clear-guards.ts';

const docs = sampleChannel('docs', { guard: { clears: 3, perMs: 60_000 } });

/** A bucket in memory, shared by several replicas. */
function bucket() {
  const stored = new Map<string, StoredGuard>();
  let revision = 0;
  let writes = 0;
  let fault: StreamError | undefined;
  const store: GuardStore = {
    read: async (channel) => stored.get(channel),
    write: async (channel, value, expected) => {
      const thrown = fault;
      fault = undefined;
      if (thrown !== undefined) throw thrown;
      if (stored.get(channel)?.revision !== expected) throw new StreamError('conflict', 'somebody else wrote');
      revision += 1;
      writes += 1;
      stored.set(channel, { value, revision });
      return revision;
    },
    all: async () => stored,
    watch: () => {
      throw new Error('not used');
    },
  };
  return {
    store,
    stored,
    failOnce: (error: StreamError) => {
      fault = error;
    },
    writes: () => writes,
    passed: () => parseGuard(stored.get('docs')?.value ?? '').passed.reduce((sum, { clears }) => sum + clears, 0),
    release: (sequence: number) => {
      const value = JSON.stringify(releaseClears(parseGuard(stored.get('docs')?.value ?? ''), sequence));
      revision += 1;
      stored.set('docs', { value, revision });
    },
  };
}

function replica(store: GuardStore) {
  const lines: string[] = [];
  const holding: boolean[] = [];
  let changes = 0;
  const line = (_: object, message: string): void => void lines.push(message);
  const log = { ...SILENT_LOG, error: line, info: line };
  const guards = new ClearGuards({
    store,
    log,
    metrics: { guard: (_, holds) => void holding.push(holds) },
    onChange: () => {
      changes += 1;
    },
    now: () => 1_000,
  });
  return { guards, lines, holding, changes: () => changes };
}

const clears = (...sequences: readonly number[]): readonly ClearAsked[] =>
  sequences.map((sequence) => ({ id: `asset description ${sequence}`, channel: docs, sequence }));

describe('ClearGuards', () => {
  it('count over all replicas, each clear before it is sent; the alarm names the command that goes on', async () => {
    const { store, passed } = bucket();
    const [one, other] = [replica(store), replica(store)];
    const [a, b] = [one.guards.of('pg', () => true), other.guards.of('maria', () => true)];
    expect(await a.pass(clears(1, 2))).toEqual([true, true]);
    expect(await b.pass(clears(3, 4))).toEqual([true, false]);
    expect(passed()).toBe(3);
    expect(other.lines).toEqual([expect.stringContaining('backflow release "docs"')]);
    expect(other.holding.at(-1)).toBe(true);
    expect(await a.pass(clears(5))).toEqual([false]);
    expect(one.lines).toHaveLength(1);
    expect([one.changes(), other.changes()]).toEqual([1, 1]);
  });

  it('a clear that is tried again is counted once, also after the channel began to hold', async () => {
    const { store, passed } = bucket();
    const guard = replica(store).guards.of('pg', () => true);
    await guard.pass(clears(1, 2));
    expect(await guard.pass(clears(1, 2))).toEqual([true, true]);
    expect(passed()).toBe(2);
    expect(await guard.pass(clears(2, 3, 4))).toEqual([true, true, false]);
    expect(await guard.pass(clears(3))).toEqual([true]);
  });

  it('while it holds nothing is stored; what another replica releases passes without being counted', async () => {
    const world = bucket();
    const { guards, lines, changes } = replica(world.store);
    const guard = guards.of('pg', () => true);
    await guard.pass(clears(1, 2, 3, 4));
    expect(guards.holding('pg')).toEqual(new Map([['docs', 0]]));
    const writes = world.writes();
    expect(await guard.pass(clears(4, 5))).toEqual([false, false]);
    expect(world.writes()).toBe(writes);
    world.release(5);
    guards.take(world.stored);
    expect([guards.holding('pg').size, changes()]).toEqual([0, 2]);
    expect(lines.at(-1)).toContain('were released');
    expect(await guard.pass(clears(4, 5))).toEqual([true, true]);
    expect([world.writes(), world.passed()]).toEqual([writes, 0]);
  });

  it('waits for NATS; when the lane is lost meanwhile, nothing may be cleared', async () => {
    const world = bucket();
    world.failOnce(new StreamError('timeout', 'no answer'));
    expect(
      await replica(world.store)
        .guards.of('pg', () => false)
        .pass(clears(1)),
    ).toEqual([false]);
    world.failOnce(new StreamError('timeout', 'no answer'));
    expect(
      await replica(world.store)
        .guards.of('pg', () => true)
        .pass(clears(1)),
    ).toEqual([true]);
    expect(world.passed()).toBe(1);
  });

  it('begins with what is stored, and asks nobody for a channel without a limit', async () => {
    const world = bucket();
    await world.store.write('docs', JSON.stringify({ ...NEW_GUARD, holding: { since: 1, by: 'pg' } }), undefined);
    const { guards } = replica(world.store);
    guards.take(world.stored);
    const guard = guards.of('pg', () => true);
    expect(await guard.pass(clears(1))).toEqual([false]);
    expect(await guard.pass([{ id: 'x', channel: sampleChannel('free'), sequence: 1 }])).toEqual([true]);
  });
});
