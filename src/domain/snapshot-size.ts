import { flattenColumns } from './columns.ts';
import type { JsonObject } from './json.ts';
import type { Snapshot } from './snapshot.ts';

/** Rough size of a snapshot in memory, in bytes; goes through all of its columns. */
export function snapshotBytes(snapshot: Snapshot): number {
  let bytes =
    1_000 +
    2 * (snapshot.description?.length ?? 0) +
    120 * ((snapshot.tags?.length ?? 0) + (snapshot.owners?.length ?? 0));
  bytes += jsonBytes(snapshot.extra) + jsonBytes(snapshot.extension);
  for (const column of flattenColumns(snapshot.columns)) {
    bytes += 250 + 4 * column.name.length + 2 * (column.description?.length ?? 0) + 120 * column.tags.length;
  }
  return bytes;
}

/** Most entities have none of what stands there. */
function jsonBytes(value: JsonObject): number {
  for (const _ in value) return 2 * JSON.stringify(value).length;
  return 0;
}
