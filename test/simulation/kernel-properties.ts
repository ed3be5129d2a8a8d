import {
  cancelledTimers,
  contextBleeding,
  type History,
  lostMessages,
  overdueAsks,
  overlappingHandlers,
  reorderings,
  stopProblems,
} from './kernel-history.ts';
import { type KernelModule, MAX_RESIDENT, type Shape, simulate } from './kernel-world.ts';

export interface Property {
  readonly name: string;
  readonly shape: Shape;
  /** What is wrong with the run; empty where the property holds. */
  readonly violations: (history: History) => readonly string[];
}

export type PropertyName = keyof typeof PROPERTIES;

export const PROPERTIES = {
  nothingLost: {
    name: 'no message is lost without a report',
    shape: { failing: 0.2, hanging: 0, stops: true, asks: 0.2 },
    violations: lostMessages,
  },
  oneHandler: {
    name: 'at most one handler of an actor runs at a time, and no more residents than allowed',
    shape: { failing: 0.2, hanging: 0, stops: true, asks: 0.2 },
    violations: (history) => [
      ...overlappingHandlers(history),
      ...(history.mostResidents > MAX_RESIDENT ? [`${history.mostResidents} residents at a time`] : []),
    ],
  },
  orderKept: {
    name: 'the order of each sender is kept',
    shape: { failing: 0.3, hanging: 0, stops: false, asks: 0.1 },
    violations: reorderings,
  },
  stopEnds: {
    name: 'a stop always ends, after everything that ran',
    shape: { failing: 0.1, hanging: 0.02, stops: true, asks: 0.1 },
    violations: stopProblems,
  },
  cancelledStay: {
    name: 'the message of a cancelled timer does not come',
    shape: { failing: 0.2, hanging: 0, stops: true, asks: 0.2 },
    violations: cancelledTimers,
  },
  noBleeding: {
    name: 'a handler runs in the context of its message, never in that of the creator or a sender',
    shape: { failing: 0.2, hanging: 0, stops: true, asks: 0.2 },
    violations: contextBleeding,
  },
  asksEnd: {
    name: 'every ask ends, at the latest at its timeout',
    shape: { failing: 0.1, hanging: 0.02, stops: true, asks: 0.6 },
    violations: overdueAsks,
  },
} satisfies Record<string, Property>;

export interface Verdict {
  /** `seed: what is wrong` of the first failing seed. */
  readonly failure: string | undefined;
  /** How many different delivery orders were seen. */
  readonly orders: number;
}

/** Runs a property over the seeds from 1, up to the first failing one. */
export async function judge(kernel: KernelModule, property: Property, seeds: number): Promise<Verdict> {
  const orders = new Set<string>();
  for (let seed = 1; seed <= seeds; seed += 1) {
    const history = await simulate(kernel, seed, property.shape);
    orders.add(history.deliveryHash);
    const wrong = property.violations(history);
    if (wrong.length > 0) return { failure: `seed ${seed}: ${wrong.slice(0, 5).join('; ')}`, orders: orders.size };
  }
  return { failure: undefined, orders: orders.size };
}
