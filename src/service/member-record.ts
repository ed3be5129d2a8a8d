import { z } from 'zod';
import type { NatsLink } from '../../streams/nats/connection.ts';
import { openBucket } from '../../streams/nats/kv-bucket.ts';
import { parseLeaseRecord } from '../../streams/nats/lease-record.ts';
import { LEASE_MS } from '../../streams/nats/leases.ts';
import { MEMBER_KEYS } from '../../streams/nats/membership.ts';
import { BUCKETS } from '../domain/subjects.ts';

const dataSchema = z.object({ state: z.enum(['running', 'leaving']), since: z.number() });

/** A replica as its record in NATS shows it. */
export interface MemberSummary {
  readonly replica: string;
  /** `silent`: its record has stood still for longer than a lease, by the clock of whoever asks; the others take its lanes. */
  readonly state: 'running' | 'leaving' | 'silent';
  /** Epoch milliseconds. */
  readonly since: number;
  readonly lastHeardMs: number;
  /** How many lanes it holds. */
  readonly lanes: number;
}

/** All replicas that have not said goodbye, from NATS alone. */
export async function readMembers(link: NatsLink): Promise<readonly MemberSummary[]> {
  const bucket = openBucket(link, BUCKETS.leases);
  const held = new Map<string, number>();
  for (const { value } of await bucket.entries('*')) {
    const record = parseLeaseRecord(value);
    if (record?.released === false) held.set(record.owner, (held.get(record.owner) ?? 0) + 1);
  }
  const now = Date.now();
  const members: MemberSummary[] = [];
  for (const { value, time } of await bucket.entries(MEMBER_KEYS)) {
    const record = parseLeaseRecord(value);
    const data = dataSchema.safeParse(record?.data);
    if (record === undefined || record.released || !data.success) continue;
    const lastHeardMs = Math.max(0, now - time);
    const state = lastHeardMs > LEASE_MS ? 'silent' : data.data.state;
    const lanes = held.get(record.owner) ?? 0;
    members.push({ replica: record.owner, state, since: data.data.since, lastHeardMs, lanes });
  }
  return members.sort((a, b) => (a.replica < b.replica ? -1 : 1));
}
