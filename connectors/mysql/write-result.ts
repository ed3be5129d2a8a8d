import type { Failure } from '../../src/domain/failure.ts';
import type { DescriptionOperation, ObjectRef } from '../../src/domain/operation.ts';
import type { PlannedWrite, WriteResult } from '../contract.ts';

/** A write whose operation is known to be a description. */
export interface DescriptionWrite {
  readonly write: PlannedWrite;
  readonly operation: DescriptionOperation;
}

/** A key for the object itself, columns included. */
export function targetOf({ level, schema, table, column }: ObjectRef): string {
  return JSON.stringify([level, schema, table, column]);
}

/** Adds the trace of the change, so that the server's query log leads back to it. Anything but a well-formed traceparent is left out. */
export function traced(statement: string, traceparent: string | undefined): string {
  if (traceparent === undefined || !/^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/.test(traceparent))
    return statement;
  return `${statement} /*traceparent='${traceparent}'*/`;
}

export const DIFFERS: Failure = {
  class: 'conflict',
  scope: 'object',
  code: 'read-back-differs',
  message: 'The server accepted the comment, but another one stands there now.',
};

export function failed(id: string, failure: Failure): WriteResult {
  return { id, ok: false, failure };
}

/** `statements` for a result, when what ran is not what was shown. */
export function shown(ran: string, { plan }: PlannedWrite): { readonly statements?: readonly string[] } {
  return plan.statements.length === 1 && plan.statements[0] === ran ? {} : { statements: [ran] };
}
