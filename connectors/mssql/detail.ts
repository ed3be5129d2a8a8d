import { z } from 'zod';
import type { SourceObject } from '../contract.ts';

/** A column's sensitivity classification as `sys.sensitivity_classifications` holds it. */
const classification = z.object({
  label: z.string().optional(),
  labelId: z.string().optional(),
  informationType: z.string().optional(),
  informationTypeId: z.string().optional(),
  rank: z.string().optional(),
});
export type Classification = z.infer<typeof classification>;

const detail = z.object({
  /** Names of the extended properties that exist, also those whose value is empty. */
  properties: z.array(z.string()),
  /** Permissions that were granted or denied on the object itself; a change of owner drops them. */
  permissions: z.number(),
  mayDropPermissions: z.boolean(),
  /** The opt-in rule of the connection, and what stands there now. */
  rule: z.object({ label: z.string().optional(), informationType: z.string().optional() }).optional(),
  classification: classification.optional(),
});

/** What a plan needs besides the state that everybody sees. */
export type Detail = z.infer<typeof detail>;

/** Undefined: the object was not read. */
export function detailOf(source: SourceObject | undefined): Detail | undefined {
  const parsed = detail.safeParse(source?.detail);
  return parsed.success ? parsed.data : undefined;
}
