import type { Failure } from '../../src/domain/failure.ts';
import { ConnectorError } from '../connector-error.ts';
import type { PlannedWrite, SourceObject, WriteResult } from '../contract.ts';
import { withTrace } from './trace-comment.ts';
import type { Transaction } from './transaction.ts';

/** Writes in the order in which they run: comments, many to a transaction; templates; owners last, each alone. */
export interface SortedWrites {
  readonly comments: readonly PlannedWrite[];
  readonly templates: readonly PlannedWrite[];
  readonly owners: readonly PlannedWrite[];
}

/** Owners come last, since they may take our own right to comment away. */
export function sortWrites(writes: readonly PlannedWrite[]): SortedWrites {
  const isTemplate = (write: PlannedWrite) => write.options.template !== undefined;
  const isOwner = (write: PlannedWrite) => write.operation.aspect === 'owners';
  return {
    comments: writes.filter((write) => !isTemplate(write) && !isOwner(write)).sort(byObject),
    templates: writes.filter((write) => isTemplate(write) && !isOwner(write)),
    owners: writes.filter(isOwner).sort(byObject),
  };
}

/** All writers take their locks in the same order, so that they wait for each other instead of deadlocking. */
function byObject(one: PlannedWrite, other: PlannedWrite): number {
  const key = ({ operation: { object } }: PlannedWrite) =>
    [object.schema ?? '', object.table ?? '', ...(object.column ?? [])].join('\0');
  const [a, b] = [key(one), key(other)];
  return a < b ? -1 : a > b ? 1 : 0;
}

export async function runPlan(transaction: Transaction, { plan, traceparent }: PlannedWrite): Promise<void> {
  for (const statement of plan.statements) await transaction.run(withTrace(statement, traceparent));
}

/** Where a template wrote is its own business; only what stands in the native place can be vouched for. */
export function templateResult(write: PlannedWrite, source: SourceObject | undefined): WriteResult {
  const { operation } = write;
  const unproven: WriteResult = { id: write.id, ok: true, verified: 'no' };
  if (source?.exists !== true || operation.aspect === 'tags') return unproven;
  const native = operation.aspect === 'description' ? source.description : source.owner;
  if (native !== write.plan.value) return unproven;
  return { id: write.id, ok: true, verified: 'read', ...(native === undefined ? {} : { value: native }) };
}

export function written({ id, plan }: PlannedWrite, verified: 'commit' | 'read'): WriteResult & { readonly ok: true } {
  return { id, ok: true, verified, ...(plan.value === undefined ? {} : { value: plan.value }) };
}

export function failed({ id }: PlannedWrite, failure: Failure): WriteResult {
  return { id, ok: false, failure };
}

/** The failure of one object; what concerns the whole target goes on up. */
export function objectFailure(error: unknown): Failure {
  if (error instanceof ConnectorError && error.scope === 'object') return error.failure;
  throw error;
}
