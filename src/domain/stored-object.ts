import { z } from 'zod';

/** Where a value that is too large for one message lies: its parts in a stream, in order, with the size and hash of the whole. */
export const storedObject = z.object({
  sequences: z.array(z.number().int().positive()).min(1).readonly(),
  bytes: z.number().int().nonnegative(),
  /** SHA-256 of the whole, hexadecimal. */
  sha256: z.string(),
});

export type StoredObject = Readonly<z.infer<typeof storedObject>>;
