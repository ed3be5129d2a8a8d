import { BUCKETS, decodeToken, encodeToken } from '../../src/domain/subjects.ts';
import type { NatsLink } from './connection.ts';
import { openBucket } from './kv-bucket.ts';

const PREFIX = 'reconciled';

/** When targets were last said to be as the catalogue has them, epoch milliseconds; only those that somebody said it of. */
export async function reconciledTimes(link: NatsLink): Promise<ReadonlyMap<string, number>> {
  const entries = await openBucket(link, BUCKETS.control).entries(`${PREFIX}.*`);
  return new Map(entries.map(({ key, value }) => [decodeToken(key.slice(PREFIX.length + 1)), timeOf(value)]));
}

/** The same of one target; 0: never. */
export async function reconciledAt(link: NatsLink, target: string): Promise<number> {
  const entry = await openBucket(link, BUCKETS.control).get(keyOf(target));
  return entry === undefined ? 0 : timeOf(entry.value);
}

/** Says so now. The note is JSON with `at` (epoch milliseconds) and whatever a person wants to know later. */
export async function markReconciled(
  link: NatsLink,
  target: string,
  note: { readonly at: number; readonly by: string },
): Promise<void> {
  await openBucket(link, BUCKETS.control).put(keyOf(target), JSON.stringify(note));
}

function keyOf(target: string): string {
  return `${PREFIX}.${encodeToken(target)}`;
}

/** 0 for a value that we did not write. */
function timeOf(value: string): number {
  try {
    const note: unknown = JSON.parse(value);
    const at = typeof note === 'object' && note !== null && 'at' in note ? note.at : undefined;
    return typeof at === 'number' ? at : 0;
  } catch {
    return 0;
  }
}
