import { randomUUID } from 'node:crypto';
import type { OutcomeMessage } from '../../src/domain/outcome.ts';
import { parseOutcomeMessage } from '../../src/domain/parse-outcome.ts';
import { isSettledUpTo } from '../../src/domain/settled-sequences.ts';
import { keyOfChange, outcomeSubject } from '../../src/domain/subjects.ts';
import type { Delivery } from '../../streams/nats/contract.ts';
import type { LaneIdentity } from '../asset-coalescer/close-work.ts';
import type { LaneStore } from '../lane/lane-ports.ts';

/**
 * Whether an outcome of its asset settles a delivery already, or names it as parked; found without a look at its body. Where the answer
 * is no, outcomes of earlier owners are refused from now on: the last one is recorded once more, as ours and without items, so that
 * nothing that is still on its way can settle the delivery after all. (An asset without any outcome cannot be closed so: only its name
 * in the body would tell what to record.)
 */
export async function settledOrFenced(
  delivery: Delivery,
  { target, lane, epoch }: LaneIdentity,
  store: Pick<LaneStore, 'lastOutcomes' | 'recordOutcome'>,
  now: number,
): Promise<boolean | 'lost'> {
  const key = keyOfChange(delivery.subject);
  if (key === undefined) return false;
  const subject = outcomeSubject(target, key);
  for (;;) {
    const stored = (await store.lastOutcomes([subject])).get(subject);
    const last = stored === undefined ? undefined : parseOutcomeMessage(stored.data);
    if (stored === undefined || last === undefined) return false;
    if (settles(last, delivery)) return true;
    if (last.epoch >= epoch) return false;
    const { values: _, ...rest } = last;
    const fence: OutcomeMessage = {
      ...rest,
      id: randomUUID(),
      at: now,
      lane,
      epoch,
      items: [],
      superseded: [],
      settles: [],
    };
    const answer = await store.recordOutcome(subject, fence, stored.sequence, fence.state);
    if (answer.kind === 'lost') return 'lost';
  }
}

function settles({ state: { settled, settledUpTo, parked } }: OutcomeMessage, delivery: Delivery): boolean {
  const { sequence } = delivery;
  return settled.includes(sequence) || parked?.[sequence] !== undefined || isSettledUpTo(settledUpTo, delivery);
}
