import type { ChangeEvent } from '../../src/domain/change-event.ts';
import { columnAt } from '../../src/domain/columns.ts';
import { unionOfTags } from '../../src/domain/labels.ts';
import type { OpenField, Touch } from '../../src/domain/ledger.ts';
import type { TagLabel } from '../../src/domain/snapshot.ts';

/**
 * The labels that the changes which are decided together have seen on a field, whatever became of them. One that the newest state
 * no longer has may stand in the source all the same: an owner before this one may have written it without being able to record it.
 */
export function passingTags(
  { field, winner, losers }: Pick<OpenField, 'field' | 'winner' | 'losers'>,
  event: (touch: Touch) => ChangeEvent | undefined,
): readonly TagLabel[] {
  let passing: readonly TagLabel[] = [];
  for (const touch of [winner, ...losers]) {
    const snapshot = event(touch)?.snapshot;
    if (snapshot?.tags === undefined) continue;
    const at = field.column === undefined ? snapshot : columnAt(snapshot.columns, field.column);
    passing = unionOfTags(passing, at?.tags ?? []);
  }
  return passing;
}
