import type { AskOptions, Recipient } from './actor-ref.ts';
import { type Envelope, envelopeOf } from './envelope.ts';
import { type Identity, type Kernel, reportUndelivered } from './kernel.ts';
import { AskTimeoutError, KernelUsageError } from './kernel-error.ts';
import type { Timer } from './scheduling.ts';

/**
 * Posts the message that `make` builds and waits for the one answer. Settles exactly once: with the answer, with the
 * error of a message that ended undelivered, or with `AskTimeoutError`.
 */
export function ask<M, R>(
  kernel: Kernel,
  target: Identity,
  post: (envelope: Envelope<M>) => boolean,
  make: (replyTo: Recipient<R>) => M,
  options: AskOptions,
): Promise<R> {
  const { timeoutMs } = options;
  if (!(timeoutMs > 0 && Number.isFinite(timeoutMs))) {
    return Promise.reject(new KernelUsageError(`ask() needs timeoutMs above 0, not ${timeoutMs}.`));
  }
  const { promise, resolve, reject } = Promise.withResolvers<R>();
  let open = true;
  let timer: Timer | undefined;
  const settle = (how: () => void): boolean => {
    if (!open) return false;
    open = false;
    timer?.cancel();
    how();
    return true;
  };
  const replyTo: Recipient<R> = {
    name: `${target.name}?`,
    tell(answer, meta) {
      if (settle(() => resolve(answer))) return true;
      reportUndelivered(kernel, { name: replyTo.name, type: 'ask' }, envelopeOf(answer, meta), 'late-reply');
      return false;
    },
  };
  const envelope = envelopeOf(make(replyTo), options, (error) => settle(() => reject(error)));
  if (open) {
    timer = kernel.scheduler.setTimer(timeoutMs, () => {
      settle(() => reject(new AskTimeoutError(target.name, timeoutMs)));
    });
  }
  post(envelope);
  return promise;
}
