import { type Context, ROOT_CONTEXT } from '@opentelemetry/api';
import type { MessageMeta } from './actor-ref.ts';
import type { KernelError } from './kernel-error.ts';

/** A message on its way. Trace context travels here and nowhere else. */
export interface Envelope<M> {
  readonly msg: M;
  readonly trace: Context;
  /** How often its handler failed. */
  readonly failures: number;
  /** Told once when the message ends undelivered, so that an `ask` need not wait for its timeout. */
  readonly lost?: (error: KernelError) => void;
}

export function envelopeOf<M>(msg: M, meta?: MessageMeta, lost?: (error: KernelError) => void): Envelope<M> {
  const trace = meta?.trace ?? ROOT_CONTEXT;
  return lost === undefined ? { msg, trace, failures: 0 } : { msg, trace, failures: 0, lost };
}

/** The same message, to be handled once more. */
export function afterFailure<M>(envelope: Envelope<M>): Envelope<M> {
  return { ...envelope, failures: envelope.failures + 1 };
}

/** The message of a timer. It may be cancelled as long as it waits: whoever cancels a timer does not hear of it any more. */
export interface FiredTimer<M> {
  readonly envelope: Envelope<M>;
  readonly cancelled: boolean;
}
