import { setFlagsFromString } from 'node:v8';

/** How much the heap may grow above what is in use before it is collected whole, percent; V8 left alone goes up to 300. */
const GROWTH_PERCENT = 150;

/**
 * Makes the process of a replica collect before it grows. What a lane holds is bounded, but what it has let go of would otherwise
 * stay for as long as V8 believes that the machine has room.
 */
export function keepHeapSmall(): void {
  setFlagsFromString(`--heap-growing-percent=${GROWTH_PERCENT}`);
}
