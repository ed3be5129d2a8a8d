import { z } from 'zod';
import type { SourceObject } from '../contract.ts';
import { serverSchema } from './server.ts';

/** Which part of an object's address is not there. */
const MISSING = ['schema', 'table', 'column'] as const;

const detailSchema = z.object({
  server: serverSchema,
  missing: z.enum(MISSING).optional(),
  /** A column's whole definition out of SHOW CREATE TABLE. */
  definition: z.string().optional(),
  /** The table's default character set, for columns that name none. */
  tableCharset: z.string().optional(),
  /** Why there is no definition although the column exists. */
  noDefinition: z.string().optional(),
});

/** What this connector keeps in `SourceObject.detail` between the read and the plan. */
export type MysqlDetail = z.infer<typeof detailSchema>;

export function detailOf(source: SourceObject | undefined): MysqlDetail | undefined {
  const parsed = detailSchema.safeParse(source?.detail);
  return parsed.success ? parsed.data : undefined;
}
