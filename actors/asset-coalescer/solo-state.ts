import type { AssetKey } from '../../src/domain/asset.ts';
import type { Recipient } from '../kernel/actor-ref.ts';

/** `quiet`: nothing is under way; `ended`: the change is decided, or waits for something; `stopped`: the lane ends. */
export type SoloAnswer = 'quiet' | 'ended' | 'stopped';

/**
 * One change is handled while nothing else of the lane is under way, so that it alone is to blame for what happens.
 * States: none → (`quiesce`) nothing new is given out until what is under way has ended → (`alone`) only that change's asset goes on
 * → (`resume`) none.
 */
export interface Solo {
  readonly replyTo: Recipient<SoloAnswer>;
  /** Absent while the lane comes to rest. */
  readonly change?: { readonly key: AssetKey; readonly sequence: number };
}
