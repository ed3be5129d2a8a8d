import { z } from 'zod';
import { readJson } from '../../src/domain/read-json.ts';
import type { NatsLink } from './connection.ts';
import { controlRecords } from './control-records.ts';

const KIND = 'reconciled';
const stored = z.object({ at: z.number() });

/** When targets were last said to be as the catalogue has them, epoch milliseconds; only those that somebody said it of. */
export async function reconciledTimes(link: NatsLink): Promise<ReadonlyMap<string, number>> {
  const records = await controlRecords(link, KIND).all();
  return new Map([...records].map(([target, { value }]) => [target, timeOf(value)]));
}

/** The same of one target; 0: never. */
export async function reconciledAt(link: NatsLink, target: string): Promise<number> {
  const { bucket, keyOf } = controlRecords(link, KIND);
  const entry = await bucket.get(keyOf(target));
  return entry === undefined ? 0 : timeOf(entry.value);
}

/** Says so now. The note is JSON with `at` (epoch milliseconds) and whatever a person wants to know later. */
export async function markReconciled(
  link: NatsLink,
  target: string,
  note: { readonly at: number; readonly by: string },
): Promise<void> {
  const { bucket, keyOf } = controlRecords(link, KIND);
  await bucket.put(keyOf(target), JSON.stringify(note));
}

/** 0 for a value that we did not write. */
function timeOf(value: string): number {
  return readJson(stored, value)?.at ?? 0;
}
