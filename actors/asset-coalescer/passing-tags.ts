import { managedTags } from '../../src/channels/tag-rules.ts';
import type { ChangeEvent } from '../../src/domain/change-event.ts';
import { columnAt } from '../../src/domain/columns.ts';
import { unionOfTags } from '../../src/domain/labels.ts';
import type { OpenField, Touch } from '../../src/domain/ledger.ts';
import type { Tag } from '../../src/domain/operation.ts';
import type { TagLabel } from '../../src/domain/snapshot.ts';

/**
 * The tags that the changes of some touches have seen on their field, whatever became of them. One that the newest state no longer
 * has may stand in the source all the same: an owner before this one may have written it without being able to record it.
 */
export function passingTags(
  field: OpenField['field'],
  touches: readonly Touch[],
  event: (touch: Touch) => ChangeEvent | undefined,
): readonly Tag[] {
  let passing: readonly TagLabel[] = [];
  for (const touch of touches) {
    const snapshot = event(touch)?.snapshot;
    if (snapshot?.tags === undefined) continue;
    const at = field.column === undefined ? snapshot : columnAt(snapshot.columns, field.column);
    passing = unionOfTags(passing, at?.tags ?? []);
  }
  return tagsOf(passing);
}

/** Labels that channels manage, each on its own: one that cannot be written as key and value is passed over. */
export function tagsOf(labels: readonly TagLabel[]): readonly Tag[] {
  return labels.flatMap((label) => {
    const tags = managedTags([label]);
    return tags.ok ? tags.value : [];
  });
}
