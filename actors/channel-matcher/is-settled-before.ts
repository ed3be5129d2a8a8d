import { parseOutcomeMessage } from '../../src/domain/parse-outcome.ts';
import { outcomeSubject } from '../../src/domain/subjects.ts';
import type { Delivery } from '../../streams/nats/contract.ts';
import type { LaneStore } from '../lane/lane-ports.ts';

/** Whether an outcome of its asset settles a delivery already, or names it as parked; found without a look at its body. */
export async function isSettledBefore(
  { subject, sequence, streamTime }: Delivery,
  target: string,
  store: Pick<LaneStore, 'lastOutcomes'>,
): Promise<boolean> {
  // `change.<service>.<slot>.<entityType>.<assetKey>`
  const [, , , , key] = subject.split('.');
  if (key === undefined) return false;
  const outcome = outcomeSubject(target, key);
  const stored = (await store.lastOutcomes([outcome])).get(outcome);
  const state = stored === undefined ? undefined : parseOutcomeMessage(stored.data)?.state;
  if (state === undefined) return false;
  const { settled, settledUpTo, parked } = state;
  if (settled.includes(sequence) || parked?.[sequence] !== undefined) return true;
  return settledUpTo !== undefined && sequence <= settledUpTo.sequence && streamTime <= settledUpTo.time;
}
