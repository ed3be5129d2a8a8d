import type { WriteResult } from '../contract.ts';
import { alter, planAll, type Ran, type Ready, resultOf, shownOf } from './alter-table.ts';
import { readObjects } from './read.ts';
import type { Session } from './session.ts';
import { type DescriptionWrite, failed } from './write-result.ts';

/**
 * Writes the comments of tables, all different ones, by an ALTER for each, and reads them back together. A table's own comment needs
 * neither its definition nor a lock.
 */
export async function writeTableComments(
  session: Session,
  writes: readonly DescriptionWrite[],
): Promise<readonly WriteResult[]> {
  const { ready, refused } = planAll(writes, () => ({
    exists: true,
    kind: 'table',
    detail: { server: session.server },
  }));
  const results: WriteResult[] = [...refused];
  const done: { readonly one: Ready; readonly ran: Ran }[] = [];
  for (const one of ready) {
    const ran = await alter(session, [one]);
    if (ran.ok) done.push({ one, ran });
    else results.push(failed(one.write.id, ran.failure));
  }
  const sources = await readObjects(
    session,
    done.map(({ one }) => one.operation.object),
  );
  for (const [index, { one, ran }] of done.entries()) {
    results.push(resultOf(one, sources[index]?.description ?? '', shownOf(one, ran), []));
  }
  return results;
}
