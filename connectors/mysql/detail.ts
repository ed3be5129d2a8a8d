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
export type MysqlDetail = Readonly<z.infer<typeof detailSchema>>;

/** Details are never changed, and each is asked for several times. */
const known = new WeakMap<object, MysqlDetail>();

export function detailOf(source: SourceObject | undefined): MysqlDetail | undefined {
  const detail = source?.detail;
  if (typeof detail !== 'object' || detail === null) return undefined;
  const present = known.get(detail);
  if (present !== undefined) return present;
  const parsed = detailSchema.safeParse(detail);
  if (!parsed.success) return undefined;
  known.set(detail, parsed.data);
  return parsed.data;
}
