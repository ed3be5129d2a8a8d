import { z } from 'zod';
import { SLOTS } from '../domain/asset.ts';
import { readJson } from '../domain/read-json.ts';
import { slotOfChange } from '../domain/subjects.ts';
import { retentionRecord } from './retention-record.ts';

const schema = z.object({
  /** Configuration revision that brought the partitioning which goes on from here. */
  revision: z.number(),
  partitions: z.number(),
  /** By slot: every change up to this sequence was acknowledged by the lanes before. */
  floors: z.array(z.number()).length(SLOTS),
  /** An owner before did not give its lane back: what it has sent may still come in. */
  unclean: z.boolean(),
  /** What a lane before has lost; it stays so until the target was reconciled. */
  needsReconcile: retentionRecord.shape.needsReconcile,
});

/** Where the lanes of a target go on after its number of partitions has changed. */
export type CarriedFloors = Readonly<z.infer<typeof schema>>;

/** Undefined for a text that is none. */
export function parseCarriedFloors(text: string): CarriedFloors | undefined {
  return readJson(schema, text);
}

/** What a lane of an earlier partitioning leaves. */
export interface LeftLane {
  readonly partition: number;
  readonly partitions: number;
  /** Undefined: it never had a consumer. */
  readonly ackFloor: number | undefined;
}

/**
 * The floor of each slot: that of the lane which read it. Where no lane tells, what was carried into that partitioning holds; a slot
 * that nobody ever read goes on with what comes after `last`, as a new target does.
 */
export function carryFloors(left: readonly LeftLane[], before: CarriedFloors | undefined, last: number): number[] {
  return Array.from({ length: SLOTS }, (_, slot) => {
    const known = left.flatMap(({ partition, partitions, ackFloor }) =>
      slot % partitions === partition && ackFloor !== undefined ? [ackFloor] : [],
    );
    const carried = before?.floors[slot];
    if (carried !== undefined) known.push(carried);
    return known.length === 0 ? last : Math.max(...known);
  });
}

/** After which sequence a lane starts to read: the lowest floor of its slots. */
export function startAfter({ floors }: CarriedFloors, ownsSlot: (slot: number) => boolean): number {
  return Math.min(...floors.filter((_, slot) => ownsSlot(slot)));
}

/** Whether the lane before has already acknowledged a change, by its subject. */
export function wasAcknowledged({ floors }: CarriedFloors, subject: string, sequence: number): boolean {
  return sequence <= (floors[slotOfChange(subject)] ?? 0);
}
