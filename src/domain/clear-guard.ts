import { z } from 'zod';
import { readJson } from './read-json.ts';

/** How much a channel may clear: so many fields (a description emptied, tags unset, owners removed) within so many milliseconds. */
export interface ClearLimit {
  readonly clears: number;
  readonly perMs: number;
}

const count = z.number().int().nonnegative();
const schema = z.object({
  v: z.literal(1),
  passed: z.array(z.object({ at: z.number(), clears: count, target: z.string() })),
  holding: z.object({ since: z.number(), by: z.string() }).optional(),
  free: z.array(z.string()),
  releasedAll: count,
  releasedOf: z.record(z.string(), count),
});

/**
 * What is known of the clears of one channel, over all its targets and replicas; it lies in the control bucket.
 *
 * States of a target of the channel: *counting* → (a clear above the limit) *holding*: no clear of any of its targets passes, except for
 * those that were released one by one (`free`) → (release) *counting*, from zero. Nothing but a release ends holding.
 * - `passed`: clears let through within the window; those of a released target are forgotten.
 * - `releasedAll`, `releasedOf`: clears of changes up to this sequence of CHANGES were looked at by a person: they pass uncounted.
 */
export type GuardState = Readonly<z.output<typeof schema>>;

export const NEW_GUARD: GuardState = { v: 1, passed: [], free: [], releasedAll: 0, releasedOf: {} };

/** A record that cannot be read holds nothing: it is begun anew. */
export function parseGuard(text: string): GuardState {
  return readJson(schema, text) ?? NEW_GUARD;
}

/** Clears that are asked for: the sequence of the change that each comes from. */
export interface ClearsAsked {
  readonly target: string;
  readonly sequences: readonly number[];
  /** Epoch milliseconds. */
  readonly now: number;
}

export interface ClearsPassed {
  /** The same object as before where nothing has to be stored. */
  readonly state: GuardState;
  /** For each clear whether it may be written. */
  readonly passes: readonly boolean[];
}

/** How many groups of clears a window is counted in. */
const GROUPS = 60;

/** Lets through what the limit allows; the first clear above it makes the channel hold. */
export function passClears(state: GuardState, limit: ClearLimit, asked: ClearsAsked): ClearsPassed {
  const { target, sequences, now } = asked;
  const through = releasedThrough(state, target);
  const holding = holdsClears(state, target);
  // One that was released alone counts alone for as long as the others hold.
  const alone = state.free.includes(target);
  const within = state.passed.filter(({ at }) => at > now - limit.perMs);
  let room = limit.clears - within.reduce((sum, one) => sum + (alone && one.target !== target ? 0 : one.clears), 0);
  let counted = 0;
  let refused = false;
  const passes = sequences.map((sequence) => {
    if (sequence <= through) return true;
    if (holding) return false;
    if (room <= 0) {
      refused = true;
      return false;
    }
    room -= 1;
    counted += 1;
    return true;
  });
  if (counted === 0 && !refused) return { state, passes };
  const passed = counted === 0 ? within : grouped(within, { at: now, clears: counted, target }, limit.perMs / GROUPS);
  if (!refused) return { state: { ...state, passed }, passes };
  const free = state.free.filter((other) => other !== target);
  return { state: { ...state, passed, free, holding: state.holding ?? { since: now, by: target } }, passes };
}

/** No clear of the channel on this target passes, except for what was released. */
export function holdsClears(state: GuardState, target: string): boolean {
  return state.holding !== undefined && !state.free.includes(target);
}

/** Clears of changes up to this sequence pass in any case. */
export function releasedThrough(state: GuardState, target: string): number {
  return Math.max(state.releasedAll, (Object.hasOwn(state.releasedOf, target) ? state.releasedOf[target] : 0) ?? 0);
}

/** A person has looked at what is held: what lies in CHANGES up to `sequence` may be written, and the count begins anew. */
export function releaseClears(state: GuardState, sequence: number, target?: string): GuardState {
  if (target === undefined) return { ...NEW_GUARD, releasedAll: sequence };
  return {
    ...state,
    passed: state.passed.filter((one) => one.target !== target),
    free: state.holding === undefined ? [] : [...state.free.filter((other) => other !== target), target],
    releasedOf: { ...state.releasedOf, [target]: sequence },
  };
}

type Passed = GuardState['passed'];

/** Clears that come close together count as one group, so that the record stays small. */
function grouped(passed: Passed, more: Passed[number], groupMs: number): Passed {
  const index = passed.findIndex(({ at, target }) => target === more.target && more.at - at < groupMs);
  const group = passed[index];
  if (group === undefined) return [...passed, more];
  return passed.with(index, { ...group, clears: group.clears + more.clears });
}
