import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { BUCKETS } from '../../../src/domain/subjects.ts';
import type { NatsLink } from '../../../streams/nats/connection.ts';
import { openBucket } from '../../../streams/nats/kv-bucket.ts';
import { LeaseView } from '../../../streams/nats/lease-view.ts';
import { LeaseWatcher } from '../../../streams/nats/lease-watcher.ts';
import { acquireLease, leaseTimings } from '../../../streams/nats/leases.ts';
import { Membership, memberKey } from '../../../streams/nats/membership.ts';
import { type Fixture, startFixture, until } from './fixture.ts';

/** Long: what a test sees within its time was not found out by a lease that ran out. */
const LEASE_MS = 60_000;

let fixture: Fixture;
const views: LeaseView[] = [];
beforeAll(async () => {
  fixture = await startFixture();
});
afterEach(() => {
  for (const view of views.splice(0)) view.close();
});
afterAll(() => fixture.stop());

async function openView(silentAfterMs = LEASE_MS, link: NatsLink = fixture.link): Promise<LeaseView> {
  const view = new LeaseView(link, { bucket: BUCKETS.leases, watcher: new LeaseWatcher(), silentAfterMs });
  views.push(view);
  await view.open();
  return view;
}

function member(replica: string, leaseMs = LEASE_MS): Membership {
  const timings = leaseTimings(leaseMs);
  return new Membership(fixture.link, { bucket: BUCKETS.leases, replica, watcher: new LeaseWatcher(), timings });
}

const stateOf = (view: LeaseView, replica: string) => view.get(memberKey(replica))?.record?.data.state;

async function take(key: string, owner: string) {
  const lease = await acquireLease(fixture.link, { bucket: BUCKETS.leases, key, owner, watcher: new LeaseWatcher() });
  if (lease === 'held') throw new Error('somebody else has the lease');
  return lease;
}

describe('the view of all leases', () => {
  it('shows what was there before, and every change of hands, without being asked', async () => {
    const before = await take('lane-before', 'a');
    const view = await openView();
    expect(view.get('lane-before')?.record).toMatchObject({ owner: 'a', released: false });
    await before.release();
    await until(() => view.get('lane-before')?.record?.released === true, 'the release is seen');
    const after = await take('lane-before', 'b');
    await until(() => view.get('lane-before')?.record?.owner === 'b', 'the new owner is seen');
    await openBucket(fixture.link, BUCKETS.leases).remove('lane-before');
    await until(() => view.get('lane-before') === undefined, 'the removal is seen');
    await after.release();
  });

  it('tells changes of hands, and not renewals', async () => {
    const view = await openView();
    const lease = await take('lane-told', 'a');
    await until(() => view.get('lane-told') !== undefined, 'the lease is seen');
    let told = 0;
    view.changes.subscribe(() => {
      told += 1;
    });
    const { revision = 0 } = view.get('lane-told') ?? {};
    await lease.update({ ackFloor: 5 });
    await until(() => (view.get('lane-told')?.revision ?? 0) > revision, 'the renewal is seen');
    expect(told).toBe(0);
    await lease.release();
    await until(() => told === 1, 'the release is told');
  });

  it('does not believe a watch that has fallen silent', async () => {
    const link = await fixture.connect();
    const view = await openView(400, link);
    const lease = await take('lane-silent', 'a');
    await until(() => view.get('lane-silent') !== undefined, 'the lease is seen');
    // The consumer behind the watch is gone, as after a change of leaders.
    for await (const { name } of fixture.link.jsm.consumers.list(`KV_${BUCKETS.leases}`))
      await fixture.link.jsm.consumers.delete(`KV_${BUCKETS.leases}`, name);
    await lease.release();
    await until(() => view.get('lane-silent')?.record?.released === true, 'the release is seen');
    const again = await take('lane-silent', 'b');
    await until(() => view.get('lane-silent')?.record?.owner === 'b', 'it is told again');
    await again.release();
    await link.close();
  });

  it('counts no time without a connection as silence of others', async () => {
    const lease = await take('lane-outage', 'a');
    const view = await openView();
    await until(() => view.get('lane-outage') !== undefined, 'the lease is seen');
    const quiet = () => {
      const seen = view.get('lane-outage');
      return seen === undefined ? -1 : view.quietFor(seen);
    };
    await new Promise((resolve) => setTimeout(resolve, 500));
    const before = quiet();
    expect(before).toBeGreaterThan(0);
    await fixture.server.shutdown();
    await fixture.server.restart();
    await until(() => fixture.link.connected(), 'the link is back');
    await until(() => quiet() < before, 'the silence begins anew');
    await lease.release();
  });
});

describe('a member', () => {
  it('is seen by the others as it runs, leaves and is gone', async () => {
    const view = await openView();
    const one = member('host.example-1');
    await one.announce();
    await until(() => stateOf(view, 'host.example-1') === 'running', 'it runs');
    await one.leave();
    await until(() => stateOf(view, 'host.example-1') === 'leaving', 'it leaves');
    await one.forget();
    await until(() => view.get(memberKey('host.example-1')) === undefined, 'it is gone');
  });

  it('comes back when its record was taken away while it could do nothing', async () => {
    const view = await openView();
    const one = member('taken-for-gone', 500);
    await one.announce();
    await until(() => stateOf(view, 'taken-for-gone') === 'running', 'it runs');
    const first = view.get(memberKey('taken-for-gone'))?.record?.holder;
    await openBucket(fixture.link, BUCKETS.leases).remove(memberKey('taken-for-gone'));
    await until(() => {
      const holder = view.get(memberKey('taken-for-gone'))?.record?.holder;
      return holder !== undefined && holder !== first;
    }, 'it announces itself again');
    await one.forget();
  });
});
