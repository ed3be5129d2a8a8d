import { flattenColumns } from './columns.ts';
import { type Field, type FieldKey, fieldKey } from './entity.ts';
import type { Snapshot } from './snapshot.ts';

/** All description fields of a snapshot, the entity's own first; `text` undefined: empty. */
export function descriptionsOf(snapshot: Snapshot): readonly DescriptionField[] {
  const columns = flattenColumns(snapshot.columns).map(({ path, description }) => ({
    column: path,
    text: description,
  }));
  return [{ column: undefined, text: snapshot.description }, ...columns].map(({ column, text }) => {
    const field: Field = { aspect: 'description', ...(column === undefined ? {} : { column }) };
    return { field, key: fieldKey(field), text: text === '' ? undefined : text };
  });
}

interface DescriptionField {
  readonly field: Field;
  readonly key: FieldKey;
  readonly text: string | undefined;
}
