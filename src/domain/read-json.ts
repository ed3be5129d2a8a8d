import type { z } from 'zod';

/**
 * JSON that this program or its server wrote, in the shape that is expected; undefined for anything else: another version's record, a
 * foreign one, no JSON. Texts of strangers go through `parseJsonText`.
 */
export function readJson<T>(shape: z.ZodType<T>, text: string): T | undefined {
  try {
    const read = shape.safeParse(JSON.parse(text));
    return read.success ? read.data : undefined;
  } catch {
    return undefined;
  }
}
