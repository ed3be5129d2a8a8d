import { z } from 'zod';
import type { SourceObject } from '../contract.ts';

const MISSING = ['schema', 'object', 'column'] as const;

const detailSchema = z.object({
  /** `NLS_CHARACTERSET` of the database. */
  charset: z.string(),
  /** Whether the version has annotations. */
  annotations: z.boolean(),
  /** The names as the dictionary has them: schema, table or view, column. */
  names: z.array(z.string()),
  missing: z.enum(MISSING).optional(),
  /** The names of two objects that the catalogue cannot tell apart. */
  ambiguous: z.array(z.string()).optional(),
});

/** What this connector keeps in `SourceObject.detail` between the read and the plan. */
export type OracleDetail = z.infer<typeof detailSchema>;

export function detailOf(source: SourceObject | undefined): OracleDetail | undefined {
  const parsed = detailSchema.safeParse(source?.detail);
  return parsed.success ? parsed.data : undefined;
}
