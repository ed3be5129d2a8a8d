import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { BUCKETS } from '../../../src/domain/subjects.ts';
import type { NatsLink } from '../../../streams/nats/connection.ts';
import type { Lease } from '../../../streams/nats/contract.ts';
import { openBucket } from '../../../streams/nats/kv-bucket.ts';
import { LeaseWatcher } from '../../../streams/nats/lease-watcher.ts';
import { acquireLease } from '../../../streams/nats/leases.ts';
import { type ManualClock, manualClock } from '../../support/manual-clock.ts';
import { type Fixture, startFixture, until } from './fixture.ts';

let fixture: Fixture;
let key: string;
let count = 0;
beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(() => fixture.stop());
beforeEach(() => {
  count += 1;
  key = `lane.t${count}.0`;
});

/** A process that wants leases; each has a clock of its own. */
interface Rival {
  readonly clock: ManualClock;
  take(): Promise<Lease | 'held'>;
}

function rival(owner: string, link: NatsLink = fixture.link): Rival {
  const clock = manualClock();
  const watcher = new LeaseWatcher(clock);
  return { clock, take: () => acquireLease(link, { bucket: BUCKETS.leases, key, owner, watcher, clock }) };
}

function held(lease: Lease | 'held'): Lease {
  if (lease === 'held') throw new Error('somebody else has the lease');
  return lease;
}

const bucket = () => openBucket(fixture.link, BUCKETS.leases);
const revision = async () => (await bucket().get(key))?.revision ?? 0;

/** Lets the owner's next renewal happen and waits until it is stored. */
async function renew(owner: Rival): Promise<void> {
  const before = await revision();
  owner.clock.advance(3_000);
  await until(async () => (await revision()) > before, 'the lease is renewed');
}

describe('P8 leases', () => {
  it('go to exactly one of many who want it at the same time', async () => {
    const answers = await Promise.all(Array.from({ length: 12 }, (_, i) => rival(`p${i}`).take()));
    const winners = answers.filter((answer) => answer !== 'held');
    expect(winners).toHaveLength(1);
    await winners[0]?.release();
  });

  it('stay with an owner who renews, however long a rival waits', async () => {
    const owner = rival('a');
    const other = rival('b');
    const lease = held(await owner.take());
    for (let i = 0; i < 6; i += 1) {
      await renew(owner);
      expect(await other.take()).toBe('held');
      other.clock.advance(5_000);
    }
    expect(lease.valid()).toBe(true);
    await lease.release();
  });

  it('are taken after 10 s of standstill on the clock of the rival, with a higher epoch and the data', async () => {
    const owner = rival('a');
    const other = rival('b');
    const lease = held(await owner.take());
    await lease.update({ ackFloor: 42 });
    expect(await other.take()).toBe('held');
    other.clock.advance(9_999);
    expect(await other.take()).toBe('held');
    other.clock.advance(1);
    const taken = held(await other.take());
    expect(taken.epoch).toBeGreaterThan(lease.epoch);
    expect(taken.data()).toEqual({ ackFloor: 42 });

    // The old owner learns of it at its next write, and writes nothing.
    await expect(lease.update({ ackFloor: 43 })).rejects.toMatchObject({ code: 'lease-lost' });
    await lease.lost;
    expect(lease.valid()).toBe(false);
    await lease.release();
    expect(taken.valid()).toBe(true);
    await taken.update({ ackFloor: 50 });
    expect(taken.data()).toEqual({ ackFloor: 50 });
    await taken.release();
  });

  it('pass on at once when they are given back, keeping their data', async () => {
    const lease = held(await rival('a').take());
    await lease.update({ ackFloor: 7, note: 'x' });
    await lease.release();
    expect(lease.valid()).toBe(false);
    const next = held(await rival('b').take());
    expect(next.epoch).toBeGreaterThan(lease.epoch);
    expect(next.data()).toEqual({ ackFloor: 7, note: 'x' });
    await next.release();
  });

  it('are not valid once no renewal succeeded for 6 s, and then lost for good', async () => {
    const link = await fixture.connect();
    const owner = rival('a', link);
    const lease = held(await owner.take());
    await link.close();
    owner.clock.advance(5_999);
    expect(lease.valid()).toBe(true);
    owner.clock.advance(1);
    expect(lease.valid()).toBe(false);
    await lease.lost;
    await lease.release();
  });

  it('are lost in an outage before a rival may take them, and come back to their owner at once', async () => {
    const owner = rival('a');
    const lease = held(await owner.take());
    await fixture.server.shutdown();
    owner.clock.advance(6_000);
    await lease.lost;
    await fixture.server.restart();
    await until(() => fixture.link.connected(), 'the link is back');
    let answer: Lease | 'held' = 'held';
    await until(async () => {
      answer = await owner.take().catch(() => 'held' as const);
      return answer !== 'held';
    }, 'the owner has it again');
    const again = held(answer);
    expect(again.epoch).toBeGreaterThan(lease.epoch);
    await again.release();
  });

  it('go on over a write that was stored although its answer was lost', async () => {
    const owner = rival('a');
    const lease = held(await owner.take());
    // What a lost answer looks like: the record is ours and newer than the owner knows.
    const entry = await bucket().get(key);
    await bucket().update(key, entry?.value ?? '', entry?.revision ?? 0);
    await lease.update({ step: 2 });
    expect(lease.valid()).toBe(true);
    expect(JSON.parse((await bucket().get(key))?.value ?? '{}')).toMatchObject({ data: { step: 2 } });
    await lease.release();
  });

  it('keep writes in order', async () => {
    const lease = held(await rival('a').take());
    await Promise.all(Array.from({ length: 20 }, (_, i) => lease.update({ step: i })));
    expect(JSON.parse((await bucket().get(key))?.value ?? '{}')).toMatchObject({ data: { step: 19 } });
    await lease.release();
  });
});

describe('a bucket', () => {
  it('stores by compare-and-set and tells conflicts', async () => {
    const kv = bucket();
    const first = await kv.create(`${key}.x`, 'a');
    await expect(kv.create(`${key}.x`, 'b')).rejects.toMatchObject({ code: 'conflict' });
    const second = await kv.update(`${key}.x`, 'ü', first);
    await expect(kv.update(`${key}.x`, 'c', first)).rejects.toMatchObject({ code: 'conflict' });
    expect(await kv.get(`${key}.x`)).toMatchObject({ key: `${key}.x`, value: 'ü', revision: second });
    await kv.remove(`${key}.x`);
    expect(await kv.get(`${key}.x`)).toBeUndefined();
    expect(await kv.create(`${key}.x`, 'again')).toBeGreaterThan(second);
    expect(await kv.get(`${key}.none`)).toBeUndefined();
  });

  it('refuses keys that NATS would read as something else', async () => {
    for (const bad of ['', 'a b', 'a.*', '>', '.a', 'a.', 'é']) {
      await expect(bucket().get(bad)).rejects.toMatchObject({ code: 'rejected' });
    }
  });
});
