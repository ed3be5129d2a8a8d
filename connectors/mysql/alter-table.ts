import type { Failure } from '../../src/domain/failure.ts';
import type { ObjectRef } from '../../src/domain/operation.ts';
import { ConnectorError } from '../connector-error.ts';
import type { SourceObject, WriteResult } from '../contract.ts';
import { shownStatement } from '../shared-statement.ts';
import type { Clause } from './clause.ts';
import { type Algorithm, alterTable, missingFailure, planClause } from './plan.ts';
import type { Session } from './session.ts';
import { type DescriptionWrite, DIFFERS, failed, shown, traced } from './write-result.ts';

/** A write with its share of the ALTER. */
export interface Ready extends DescriptionWrite {
  readonly clause: Clause;
}

/** Plans the writes of one table, or of tables that were not read; what has no plan has its result. */
export function planAll(
  group: readonly DescriptionWrite[],
  source: (object: ObjectRef) => SourceObject,
): { readonly ready: readonly Ready[]; readonly refused: readonly WriteResult[] } {
  const ready: Ready[] = [];
  const refused: WriteResult[] = [];
  for (const one of group) {
    const clause = planClause(one.operation, source(one.operation.object), one.write.options);
    if (clause.ok) ready.push({ ...one, clause: clause.value });
    else refused.push(failed(one.write.id, clause.error.failure));
  }
  return { ready, refused };
}

/** An ALTER that the server took. */
export interface Ran {
  readonly ok: true;
  readonly statement: string;
  readonly algorithm: Algorithm;
  readonly clauses: number;
}
type Altered = Ran | { readonly ok: false; readonly failure: Failure };

const ALGORITHMS: readonly Algorithm[] = ['INSTANT', 'INPLACE'];

/** The server would have to do more than allowed, or (1800, before MySQL 8.0.12 and MariaDB 10.3) does not know the word INSTANT. */
const TRY_NEXT: ReadonlySet<string> = new Set(['1800', '1845', '1846']);

/** Tries the cheapest way first; the server refuses what would copy the table (1845, 1846). */
export async function alter(session: Session, ready: readonly Ready[]): Promise<Altered> {
  const [first] = ready;
  let failure: Failure = missingFailure(undefined);
  for (const algorithm of first === undefined ? [] : ALGORITHMS) {
    const statement = alterTable(
      first?.clause.address ?? '',
      ready.map(({ clause }) => clause.text),
      algorithm,
    );
    try {
      await session.run(traced(statement, first?.write.traceparent));
      return { ok: true, statement, algorithm, clauses: ready.length };
    } catch (error) {
      if (!(error instanceof ConnectorError) || error.scope === 'target') throw error;
      failure = error.failure;
      if (!TRY_NEXT.has(failure.code)) break;
    }
  }
  return { ok: false, failure };
}

/** What a result shows: the statement that ran, or, of a long one, the clause of its own. */
export function shownOf({ clause }: Ready, { statement, algorithm, clauses }: Ran): string {
  return shownStatement(statement, clauses, (comment) =>
    alterTable(clause.address, [`${clause.text}${comment}`], algorithm),
  );
}

/** `stands` is what was read back, `ran` what the result shows. */
export function resultOf(one: Ready, stands: string, ran: string, notes: readonly string[]): WriteResult {
  const { write, clause } = one;
  if (stands !== (clause.value ?? '')) return failed(write.id, DIFFERS);
  return {
    id: write.id,
    ok: true,
    verified: 'read',
    ...(clause.value === undefined ? {} : { value: clause.value }),
    ...shown(ran, write),
    ...(notes.length === 0 ? {} : { notes }),
  };
}

export function allFailed(group: readonly DescriptionWrite[], failure: Failure): WriteResult[] {
  return group.map(({ write }) => failed(write.id, failure));
}
