import { ConnectorError } from '../../connectors/connector-error.ts';
import type { Connection, SourceObject } from '../../connectors/contract.ts';
import type { Failure } from '../../src/domain/failure.ts';
import type { BatchField } from './write-batch.ts';

/** What stands in the source for one field, or why that could not be read. */
export type SourceAnswer = { readonly source: SourceObject } | { readonly failure: Failure };

/**
 * The present state of the objects of a batch, in the order of its fields: one read for all. Where that fails for a reason that
 * concerns a single object, each is read by itself, so that only that one is kept back. Throws what concerns the whole target.
 */
export async function readSources(fields: readonly BatchField[], connection: Connection): Promise<SourceAnswer[]> {
  try {
    const sources = await connection.read(fields.map((field) => field.write.operation.object));
    return fields.map((_, index) => ({ source: sources[index] ?? { exists: false } }));
  } catch (error) {
    if (!(error instanceof ConnectorError) || error.scope === 'target') throw error;
    const [only, ...others] = fields;
    if (only !== undefined && others.length === 0) return [{ failure: error.failure }];
    const answers: SourceAnswer[] = [];
    for (const field of fields) answers.push(...(await readSources([field], connection)));
    return answers;
  }
}
