import type { Failure } from '../../src/domain/failure.ts';
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
    comments: inLockOrder(writes.filter((write) => !isTemplate(write) && !isOwner(write))),
    templates: writes.filter((write) => isTemplate(write) && !isOwner(write)),
    owners: inLockOrder(writes.filter(isOwner)),
  };
}

/** All writers take their locks in the same order, so that they wait for each other instead of deadlocking. */
function inLockOrder(writes: readonly PlannedWrite[]): readonly PlannedWrite[] {
  const keyed = writes.map((write) => {
    const { schema = '', table = '', column = [] } = write.operation.object;
    return { write, key: [schema, table, ...column].join('\0') };
  });
  keyed.sort((one, other) => (one.key < other.key ? -1 : one.key > other.key ? 1 : 0));
  return keyed.map(({ write }) => write);
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
