import { z } from 'zod';
import type { Failure } from '../../src/domain/failure.ts';
import type { SourceObject } from '../contract.ts';

/** Which part of an object's address is not there. */
const MISSING = ['catalog', 'schema', 'table', 'column'] as const;

const detailSchema = z.object({
  missing: z.enum(MISSING).optional(),
  /** The name of the connector behind the catalog: `hive`, `iceberg`, …; absent where the account may not see it. */
  connector: z.string().optional(),
  /** What the catalog has refused as not supported, as `lackOf` names it. */
  lacks: z.array(z.string()).optional(),
  /** A view of Hive with grants, all of which a comment would take away. */
  grantsAtStake: z.boolean().optional(),
});

/** What this connector keeps in `SourceObject.detail` between the read and the plan. */
export type TrinoDetail = z.infer<typeof detailSchema>;

export function detailOf(source: SourceObject | undefined): TrinoDetail {
  const parsed = detailSchema.safeParse(source?.detail);
  return parsed.success ? parsed.data : {};
}

const MESSAGES = {
  catalog: 'There is no such catalog on the server, or the account may not see it.',
  schema: 'There is no such schema in the catalog, or the account may not see it.',
  table: 'There is no such table or view in the schema, or the account may not see it.',
  column: 'The table has no such column; it may have been dropped or renamed.',
} as const;

export function missingFailure({ missing = 'table' }: TrinoDetail): Failure {
  return { class: 'not_found', scope: 'object', code: `${missing}-missing`, message: MESSAGES[missing] };
}
