import { z } from 'zod';
import { readJson } from '../../src/domain/read-json.ts';

const schema = z.object({
  /** Who holds it: the process. */
  owner: z.string(),
  /** Random, one for each acquisition: tells our own writes from those of anybody else. */
  holder: z.string(),
  /** Given back: whoever comes may take it at once. */
  released: z.boolean(),
  /** Counts the writes of one holder, so that no two have the same text. */
  beat: z.number(),
  /** What the next owner must know. */
  data: z.record(z.string(), z.unknown()),
});

/** The value of a lease's key. It has no time to live: data has to outlast the owner. */
export type LeaseRecord = Readonly<z.infer<typeof schema>>;

/** Undefined for a text that is no lease record; such a key is treated as held by somebody unknown. */
export function parseLeaseRecord(text: string): LeaseRecord | undefined {
  return readJson(schema, text);
}
