import type { AssetKey } from '../../src/domain/asset.ts';
import type { HeldChange } from '../lane/held-change.ts';
import { type AssetEntry, hasWork } from './asset-entry.ts';
import type { CoalescerMessage } from './coalescer-messages.ts';
import type { CoalescerState } from './coalescer-state.ts';
import { unloaded } from './parked-state.ts';
import type { Solo, SoloAnswer } from './solo-state.ts';

type SoloMessage = Extract<CoalescerMessage, { type: 'quiesce' | 'alone' | 'resume' }>;

/** No asset has this key. */
const NOBODY: AssetKey = '-';

/** Takes the next step, and gives the changes that are to be admitted with it. */
export function stepSolo(state: CoalescerState, message: SoloMessage): readonly HeldChange[] {
  const { queue } = state;
  if (message.type === 'resume') {
    delete queue.only;
    state.solo = undefined;
    return [];
  }
  const { replyTo } = message;
  queue.only = message.type === 'alone' ? message.change.key : NOBODY;
  if (message.type === 'quiesce') {
    state.solo = { replyTo };
    return [];
  }
  const { key, received } = message.change;
  state.solo = { replyTo, change: { key, sequence: received.sequence } };
  return [message.change];
}

/** Answers what is waited for; call at the end of each turn. */
export function answerSolo(state: CoalescerState): void {
  const { solo } = state;
  if (solo === undefined) return;
  const answer = answerOf(state, solo);
  if (answer === undefined) return;
  // Nothing is given out until the matcher says how to go on.
  state.queue.only = NOBODY;
  state.solo = undefined;
  solo.replyTo.tell(answer);
}

function answerOf(state: CoalescerState, { change }: Solo): SoloAnswer | undefined {
  if (state.phase !== 'open') return 'stopped';
  if (change === undefined) {
    for (const entry of state.cache.values()) if (entry.phase !== 'idle') return undefined;
    return 'quiet';
  }
  if (state.awaiting.has(change.key)) return undefined;
  const entry = state.cache.peek(change.key);
  if (entry === undefined || !holds(entry, change.sequence)) return 'ended';
  return isAtRest(state, entry) ? 'ended' : undefined;
}

function holds({ held, arrived }: AssetEntry, sequence: number): boolean {
  return held.has(sequence) || arrived.some(({ received }) => received.sequence === sequence);
}

/** The asset waits for something that is not the lane. */
function isAtRest({ queue, demands }: CoalescerState, entry: AssetEntry): boolean {
  if (entry.phase !== 'idle') return false;
  // Nobody asks for work although nothing is under way: the target is away.
  if (queue.writable.has(entry.key) && demands.length === 0) return true;
  return entry.notBefore > 0 || entry.ledger.waiting().length > 0 || unloaded(entry).length > 0 || !hasWork(entry);
}
