import { outcomeSubject } from '../../src/domain/subjects.ts';
import type { ActorContext } from '../kernel/behavior.ts';
import type { HeldChange } from '../lane/held-change.ts';
import type { AssetEntry } from './asset-entry.ts';
import type { CoalescerMessage, CoalescerOptions } from './coalescer-messages.ts';
import type { CoalescerState as State } from './coalescer-state.ts';
import { makeResident } from './load-assets.ts';
import { tellWhenDone } from './tell-when-done.ts';

type Ctx = ActorContext<CoalescerMessage>;

/** States asked for with one request at the most. */
const STATES_AT_ONCE = 1_024;

type StatesMessage = Extract<CoalescerMessage, { type: 'states' }>;

/**
 * Lets changes in. Those of an asset that is not resident wait in `State.awaiting` for its state; meanwhile the lane goes on, and what
 * arrives in that time is asked for together, with one request after the other.
 * Invariant: while something waits, a request is under way (`State.loading`).
 */
export function createAdmission(
  { identity, ports }: Pick<CoalescerOptions, 'identity' | 'ports'>,
  admitOne: (state: State, entry: AssetEntry, held: HeldChange, ctx: Ctx) => void,
) {
  function admit(state: State, changes: readonly HeldChange[], ctx: Ctx): void {
    for (const held of changes) {
      // Whoever ends the lane gives it back.
      if (state.phase !== 'open') {
        held.span.end();
        continue;
      }
      const entry = state.cache.get(held.key);
      if (entry === undefined) wait(state, held);
      else admitResident(state, entry, held, ctx);
    }
    ask(state, ctx);
  }

  function wait(state: State, held: HeldChange): void {
    state.held.set(held.received.sequence, held.receivedAt);
    const others = state.awaiting.get(held.key);
    if (others === undefined) state.awaiting.set(held.key, [held]);
    else others.push(held);
  }

  function admitResident(state: State, entry: AssetEntry, held: HeldChange, ctx: Ctx): void {
    if (entry.phase === 'reading') {
      state.held.set(held.received.sequence, held.receivedAt);
      entry.arrived.push(held);
    } else admitOne(state, entry, held, ctx);
  }

  function ask(state: State, ctx: Ctx): void {
    if (state.loading || state.awaiting.size === 0) return;
    state.loading = true;
    const keys = [...state.awaiting.keys().take(STATES_AT_ONCE)];
    tellWhenDone(
      ctx,
      ports.store.lastOutcomes(keys.map((key) => outcomeSubject(identity.target, key))),
      (stored) => ({ type: 'states', keys, stored }),
      (error) => ({ type: 'states', keys, error }),
    );
  }

  /** The states are here: what waited for them is admitted in the turn in which they become resident. */
  async function loaded(state: State, { keys, stored, error }: StatesMessage, ctx: Ctx): Promise<void> {
    state.loading = false;
    if (stored === undefined) throw error;
    for (const key of keys) {
      const waiting = state.awaiting.get(key) ?? [];
      const [first] = waiting;
      if (first === undefined) continue;
      if (!state.cache.has(key)) {
        const loading = makeResident(state.cache, first, identity.target, stored, ports.store);
        if (loading !== undefined) await loading;
      }
      state.awaiting.delete(key);
      const entry = state.cache.get(key);
      if (entry === undefined) throw new Error('an asset was dropped before its change was admitted');
      for (const held of waiting) {
        if (state.phase === 'open') admitResident(state, entry, held, ctx);
        else held.span.end();
      }
    }
    ask(state, ctx);
  }

  return { admit, loaded };
}
