import { StreamError, type StreamErrorCode } from '../../streams/nats/stream-error.ts';

/** Wait before what NATS did not do is tried again. */
const RETRY_MS = 500;
/** What trying the same again cannot cure. */
const FINAL: ReadonlySet<StreamErrorCode> = new Set(['conflict', 'too-large', 'not-found', 'unsupported-by-server']);

export interface Trying {
  /** False once the lane's lease is gone: what keeps failing is then given up. */
  readonly valid: () => boolean;
  /** Told about every failed try, in words without secrets. */
  readonly onTrouble: (message: string) => void;
}

/** Tries for as long as the lane is ours. Throws what no retry can cure, and the last error when the lane is lost. */
export async function whileOurs<T>(action: () => Promise<T>, { valid, onTrouble }: Trying): Promise<T> {
  for (;;) {
    try {
      return await action();
    } catch (error) {
      if (!isPassing(error)) throw error;
      onTrouble(error.message);
      if (!valid()) throw error;
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }
}

/** Whether a failure may pass by itself. */
export function isPassing(error: unknown): error is StreamError {
  return error instanceof StreamError && !FINAL.has(error.code);
}
