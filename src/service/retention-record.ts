import { z } from 'zod';
import { gap } from '../domain/gap.ts';
import { laneSight } from './find-gap.ts';

/** A target of which changes are missing; until somebody has compared it with the catalogue. */
const needsReconcile = z.object({
  /** When the newest gap was found, epoch milliseconds. */
  at: z.number(),
  gaps: z.number(),
  /** Missing changes; absent as soon as one gap's number is not known. */
  changes: z.number().optional(),
  from: z.number(),
  to: z.number(),
});
export type NeedsReconcile = Readonly<z.infer<typeof needsReconcile>>;

/**
 * What of a lane's record is about retention. A gap goes through it: it is noted here together with the sight that it was found by
 * (one compare-and-set), then its outcome is stored (once, since nothing may stand on its subject before), then the note goes. So it
 * is recorded exactly once, whoever dies in between.
 */
export const retentionRecord = z.object({
  sight: laneSight.optional(),
  gaps: z.array(gap).optional(),
  needsReconcile: needsReconcile.optional(),
});
export type RetentionRecord = Readonly<z.infer<typeof retentionRecord>>;

/** The part in a record's data; one of another version says nothing. */
export function readRetention(data: Readonly<Record<string, unknown>>): RetentionRecord {
  const parsed = retentionRecord.safeParse(data);
  return parsed.success ? parsed.data : {};
}
