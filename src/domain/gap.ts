import { z } from 'zod';

/** Changes that CHANGES discarded, by its limits or by hand, before a lane had settled them. */
export const gap = z.object({
  /** The discarded stretch of CHANGES, both ends inclusive; it holds changes of other services as well. */
  firstSequence: z.number(),
  lastSequence: z.number(),
  /** How many changes of the lane's own are missing; absent where nobody could count them before they were gone. */
  changes: z.number().optional(),
  /** Between which times they came, epoch milliseconds. */
  from: z.number(),
  to: z.number(),
});

export type Gap = Readonly<z.infer<typeof gap>>;

/** What is missing, for a person. */
export function describeGap({ firstSequence, lastSequence, changes, from, to }: Gap): string {
  const sequences = `sequences ${firstSequence} to ${lastSequence}`;
  const what =
    changes === undefined
      ? `an unknown number of changes (among the ${lastSequence - firstSequence + 1} ${sequences} of CHANGES)`
      : `${changes} ${changes === 1 ? 'change' : 'changes'} (${sequences} of CHANGES)`;
  return `${what} from between ${timeOf(from)} and ${timeOf(to)} were discarded by the stream before they were written back; the target has to be compared with the catalogue`;
}

function timeOf(epochMs: number): string {
  return new Date(epochMs).toISOString();
}
