import type { ChangeEvent, FieldChange } from './change-event.ts';
import { columnAt, columnCandidates, flattenColumns, literalPath } from './columns.ts';
import { type Field, fieldKey } from './entity.ts';
import type { EventTouch } from './event-touch.ts';
import { withoutTags } from './labels.ts';
import { readColumns } from './parse-snapshot.ts';
import type { Column, TagLabel } from './snapshot.ts';

/**
 * What a change of the column list touches: an added column touches what it carries, a removed one touches nothing (its pending
 * items end by themselves, since the newest state no longer has the column). A column whose type changed stands in both lists; the
 * server drops its tags then (1.12) or carries them over without saying so (2.x), which leaves those tags in doubt.
 */
export function addedColumnTouches(event: ChangeEvent, change: FieldChange): readonly EventTouch[] {
  const touches: EventTouch[] = [];
  for (const column of flattenColumns(columnsIn(event, change, 'new'))) {
    if (column.description) touches.push(touch({ aspect: 'description', column: column.path }, [], false));
    if (column.tags.length > 0)
      touches.push(touch({ aspect: 'tags', column: column.path }, [], event.snapshot?.tags === undefined));
  }
  if (change.kind !== 'added') {
    const replaced = columnsAdded(event);
    for (const column of flattenColumns(columnsIn(event, change, 'old'))) {
      const successor = columnAt(replaced, column.path);
      if (successor === undefined) continue;
      const dropped = withoutTags(column.tags, successor.tags);
      if (dropped.length > 0) touches.push(touch({ aspect: 'tags', column: column.path }, dropped, true));
    }
  }
  return touches;
}

/** The columns of one side of a column-list change, with their full paths. */
export function columnsIn(event: ChangeEvent, change: FieldChange, side: 'old' | 'new'): readonly Column[] {
  const value = side === 'old' ? change.oldValue : change.newValue;
  return readColumns(value, parentPath(event, change.name), true);
}

function columnsAdded(event: ChangeEvent): readonly Column[] {
  return (event.changes ?? [])
    .filter((change) => change.name === 'columns' && change.kind !== 'deleted')
    .flatMap((change) => columnsIn(event, change, 'new'));
}

/** `columns` stands for the table itself, `columns.<struct>` for the children of a column. */
function parentPath(event: ChangeEvent, name: string): readonly string[] {
  if (name === 'columns') return [];
  const path = name.slice('columns.'.length);
  const [parent] = columnCandidates(path, event.snapshot?.columns ?? []);
  return parent?.path ?? literalPath(path);
}

function touch(field: Field, removedTags: readonly TagLabel[], doubtful: boolean): EventTouch {
  return {
    field,
    key: fieldKey(field),
    reason: 'diff',
    removedTags,
    doubts: doubtful ? ['field-not-in-snapshot'] : [],
  };
}
