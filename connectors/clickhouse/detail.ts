import { z } from 'zod';
import type { Failure } from '../../src/domain/failure.ts';
import type { SourceObject } from '../contract.ts';

/** Which part of an object's address is not there. */
const MISSING = ['schema', 'table', 'column'] as const;

const detailSchema = z.object({
  missing: z.enum(MISSING).optional(),
  /**
   * Why a column that is not there is not simply gone. `parent`: its parts are columns of their own (Nested). `field`: it is a part
   * of a column of another type (Tuple, JSON, …).
   */
  nested: z.enum(['parent', 'field']).optional(),
  databaseEngine: z.string().optional(),
  /** The table's engine. */
  engine: z.string().optional(),
  /** Bytes of the table's definition with all comments, as the server prints it. */
  definitionBytes: z.number().optional(),
  /** A materialized view with a hidden table of its own, instead of one that it writes TO. */
  storesItself: z.boolean().optional(),
  /** The connection's cluster. */
  cluster: z.string().optional(),
});

/** What this connector keeps in `SourceObject.detail` between the read and the plan. */
export type ClickhouseDetail = z.infer<typeof detailSchema>;

export function detailOf(source: SourceObject | undefined): ClickhouseDetail {
  const parsed = detailSchema.safeParse(source?.detail);
  return parsed.success ? parsed.data : {};
}

const MESSAGES = {
  schema: 'There is no such database on the server, or the account may not see it.',
  table: 'There is no such table or view in the database, or the account may not see it.',
  column: 'The table has no such column; it may have been dropped or renamed.',
} as const;

export function missingFailure({ missing = 'table' }: ClickhouseDetail): Failure {
  return { class: 'not_found', scope: 'object', code: `${missing}-missing`, message: MESSAGES[missing] };
}
