import { z } from 'zod';
import { readJson } from '../../src/domain/read-json.ts';
import { BUCKETS } from '../../src/domain/subjects.ts';
import type { NatsLink } from './connection.ts';
import { openBucket } from './kv-bucket.ts';

const notes = z.object({ deaths: z.record(z.string(), z.number()), running: z.number().optional() });

/** Suspected changes of a lane, as its owners note them. */
export interface StoredSuspects {
  readonly deaths: Readonly<Record<string, number>>;
  readonly running?: number;
}

/** What an earlier owner of the lane has noted; nothing where there is no note, or none of a version that we know. */
export async function readSuspects(link: NatsLink, lane: string): Promise<StoredSuspects> {
  const entry = await openBucket(link, BUCKETS.control).get(keyOf(lane));
  const { deaths = {}, running } = (entry === undefined ? undefined : readJson(notes, entry.value)) ?? {};
  return { deaths, ...(running === undefined ? {} : { running }) };
}

/** Takes the place of what was noted before. */
export async function writeSuspects(link: NatsLink, lane: string, suspects: StoredSuspects): Promise<void> {
  const bucket = openBucket(link, BUCKETS.control);
  const isEmpty = suspects.running === undefined && Object.keys(suspects.deaths).length === 0;
  if (isEmpty) await bucket.remove(keyOf(lane));
  else await bucket.put(keyOf(lane), JSON.stringify(suspects));
}

const keyOf = (lane: string): string => `suspects.${lane}`;
