import { z } from 'zod';
import type { SourceObject } from '../contract.ts';
import type { Planning } from './clause.ts';
import { type Server, serverSchema } from './server.ts';

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

/** The detail of a column whose definition was shown. The same definition has the same object. */
export class ColumnDetail implements MysqlDetail {
  readonly server: Server;
  readonly definition: string;
  readonly tableCharset: string | undefined;
  /** What was planned last from this definition: from the same operation it would come to the same. */
  planning: Planning | undefined;

  constructor(server: Server, definition: string, tableCharset: string | undefined) {
    this.server = server;
    this.definition = definition;
    this.tableCharset = tableCharset;
  }
}

export function detailOf(source: SourceObject | undefined): MysqlDetail | undefined {
  const detail = source?.detail;
  if (detail === undefined || detail instanceof ColumnDetail) return detail;
  const parsed = detailSchema.safeParse(detail);
  return parsed.success ? parsed.data : undefined;
}
