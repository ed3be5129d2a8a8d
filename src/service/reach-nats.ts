import { setTimeout as sleep } from 'node:timers/promises';
import { StreamError } from '../../streams/nats/stream-error.ts';
import { startWaitingServer } from '../api/waiting-server.ts';
import { BackflowError } from '../domain/failure.ts';
import type { Log } from '../telemetry/log.ts';

export interface ReachNatsOptions {
  /** Where the service will listen; the probes are answered there meanwhile. */
  readonly http: { readonly host: string; readonly port: number };
  readonly log: Log;
  /** Ends the waiting. */
  readonly signal?: AbortSignal;
  /** Between two tries, milliseconds. */
  readonly retryMs?: number;
}

/** The service was told to end before it had begun. */
export class StartAbandonedError extends BackflowError {
  constructor() {
    super('start-abandoned', 'transient', 'The service was told to end while it waited for NATS');
  }
}

const RETRY_MS = 1_000;
/** Waiting is told again after so many tries. */
const TELL_EVERY = 15;

/**
 * The first connections to a NATS that may come up later than we do, as happens when all parts of an installation start at once. Only
 * an address that does not answer is waited for: refused credentials and the like end the start at once.
 * Errors: `StreamError`, `StartAbandonedError`.
 */
export async function reachNats<T>(connect: () => Promise<T>, options: ReachNatsOptions): Promise<T> {
  const { log, signal, retryMs = RETRY_MS } = options;
  const first = await attempt(connect);
  if (first.kind === 'connected') return first.value;
  let problem = first.problem;
  const waiting = await startWaitingServer({ ...options.http, waitsFor: () => ({ nats: problem }) });
  try {
    for (let tries = 0; ; tries += 1) {
      if (tries % TELL_EVERY === 0)
        log.warn({ problem, url: waiting.url }, 'waiting for NATS; nothing is taken in yet');
      await sleep(retryMs, undefined, signal === undefined ? {} : { signal }).catch(() => undefined);
      if (signal?.aborted === true) throw new StartAbandonedError();
      const next = await attempt(connect);
      if (next.kind === 'connected') {
        log.info({}, 'NATS is reached');
        return next.value;
      }
      problem = next.problem;
    }
  } finally {
    await waiting.close();
  }
}

type Attempt<T> =
  | { readonly kind: 'connected'; readonly value: T }
  | { readonly kind: 'away'; readonly problem: string };

async function attempt<T>(connect: () => Promise<T>): Promise<Attempt<T>> {
  try {
    return { kind: 'connected', value: await connect() };
  } catch (error) {
    if (!(error instanceof StreamError) || error.code !== 'cannot-connect') throw error;
    return { kind: 'away', problem: error.message };
  }
}
