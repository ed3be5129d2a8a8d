import { z } from 'zod';
import { gap } from './gap.ts';
import type { BulkOutcomeMessage, DeadLetter, OutcomeMessage } from './outcome.ts';
import { storedObject } from './stored-object.ts';
import type { SyncState } from './sync-state.ts';

const rank = z.object({
  time: z.number(),
  entityId: z.string(),
  version: z.number(),
  previous: z.number(),
  eventId: z.string(),
});

const state = z.object({
  v: z.literal(1),
  base: rank.optional(),
  floor: rank.optional(),
  newestSeen: z.number().optional(),
  fields: z.record(
    z.string(),
    z.object({
      rank: rank.optional(),
      hash: z.string().optional(),
      tags: z.array(z.string()).optional(),
      mayStand: z.array(z.string()).optional(),
      written: z.string().optional(),
    }),
  ),
  recent: z.array(
    z.object({
      eventId: z.string(),
      entityId: z.string(),
      currentVersion: z.number(),
      previousVersion: z.number().optional(),
      time: z.number(),
      fields: z.record(z.string(), z.string()),
    }),
  ),
  settled: z.array(z.number()),
  settledUpTo: z.object({ sequence: z.number(), time: z.number() }).optional(),
  partial: z.record(z.string(), z.array(z.string())).optional(),
  parked: z.record(z.string(), z.number()).optional(),
});

const failure = z.object({ class: z.string(), code: z.string(), message: z.string() });

const item = z.object({
  sequence: z.number(),
  eventId: z.string(),
  object: z.string(),
  status: z.string(),
  failure: failure.optional(),
});

const asset = z.object({
  entityType: z.enum(['database', 'databaseSchema', 'table']),
  fqn: z.string(),
  key: z.string(),
});

const outcome = z.object({
  v: z.literal(1),
  id: z.string(),
  target: z.string(),
  asset,
  at: z.number(),
  lane: z.string(),
  epoch: z.number(),
  configRevision: z.number(),
  items: z.array(item),
  superseded: z.array(z.object({ sequence: z.number(), eventId: z.string(), object: z.string(), by: z.string() })),
  settles: z.array(z.number()),
  state,
  stateObject: storedObject.optional(),
  values: storedObject.optional(),
});

const bulk = z.object({
  v: z.literal(1),
  id: z.string(),
  target: z.string(),
  at: z.number(),
  lane: z.string(),
  items: z.array(item),
  settles: z.array(z.number()),
  gap: gap.optional(),
});

const letter = z.object({ v: z.literal(1), id: z.string(), at: z.number(), failure, body: z.string() });

// What these streams hold was written by this program; the schemas catch other versions and foreign messages.
const isState = (value: unknown): value is SyncState => state.safeParse(value).success;
const isOutcome = (value: unknown): value is OutcomeMessage => outcome.safeParse(value).success;
const isBulk = (value: unknown): value is BulkOutcomeMessage => bulk.safeParse(value).success;
const isLetter = (value: unknown): value is DeadLetter => letter.safeParse(value).success;

/** An outcome message as stored; undefined when the data is none of a version that we know. */
export function parseOutcomeMessage(data: Uint8Array): OutcomeMessage | undefined {
  return parse(data, isOutcome);
}

/** A state that lies beside its outcome message. */
export function parseSyncState(data: Uint8Array): SyncState | undefined {
  return parse(data, isState);
}

/** A bulk outcome message as stored. */
export function parseBulkOutcomeMessage(data: Uint8Array): BulkOutcomeMessage | undefined {
  return parse(data, isBulk);
}

/** A dead letter as stored. */
export function parseDeadLetter(data: Uint8Array): DeadLetter | undefined {
  return parse(data, isLetter);
}

function parse<T>(data: Uint8Array, is: (value: unknown) => value is T): T | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString('utf8'));
    return is(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
