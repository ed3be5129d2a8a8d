import { setTimeout as delay } from 'node:timers/promises';
import { codeOf, httpError } from '../errors.ts';
import type { Credentials } from './credentials.ts';
import type { HttpAnswer, HttpRequest, Transport } from './transport.ts';

const TRIES = 4;
/** A server that asks for a longer pause is left alone: the whole target waits then. */
const LONGEST_WAIT_MS = 2_000;
const AGAIN: ReadonlySet<number> = new Set([429, 502, 503, 504]);
const BROKEN: ReadonlySet<string> = new Set(['ECONNRESET', 'EPIPE', 'ECONNABORTED', 'ETIMEDOUT']);

/** Requests with credentials, sent again where another try can help and harms nothing. */
export class Requests {
  readonly #transport: Transport;
  readonly #credentials: Credentials;
  readonly #backoffMs: number;

  /** `backoffMs`: before the first repeated request; doubled each time. */
  constructor(transport: Transport, credentials: Credentials, backoffMs: number) {
    this.#transport = transport;
    this.#credentials = credentials;
    this.#backoffMs = backoffMs;
  }

  /** The answer has status 200; every other one is thrown, as what broke the connection is. */
  async send(request: HttpRequest): Promise<HttpAnswer> {
    const { signal } = request;
    let rejected = false;
    for (let tried = 1; ; tried += 1) {
      signal.throwIfAborted();
      let answer: HttpAnswer;
      try {
        answer = await this.once(request);
      } catch (error) {
        if (signal.aborted || tried >= TRIES || !BROKEN.has(codeOf(error))) throw error;
        await this.#pause(tried, 0, signal);
        continue;
      }
      if (answer.status === 200) return answer;
      const retryAfterMs = retryAfter(answer.headers['retry-after']);
      if (answer.status === 401 && !rejected && this.#credentials.rejected()) {
        rejected = true;
        continue;
      }
      const soon = (retryAfterMs ?? 0) <= LONGEST_WAIT_MS;
      if (!AGAIN.has(answer.status) || !soon || tried >= TRIES) throw httpError(answer.status, retryAfterMs);
      await this.#pause(tried, retryAfterMs ?? 0, signal);
    }
  }

  async once(request: HttpRequest): Promise<HttpAnswer> {
    const authorization = await this.#credentials.authorization();
    const headers =
      authorization === undefined ? request.headers : { ...request.headers, Authorization: authorization };
    return this.#transport.request({ ...request, headers });
  }

  #pause(tried: number, atLeastMs: number, signal: AbortSignal): Promise<void> {
    const own = this.#backoffMs * 2 ** (tried - 1) * (0.5 + Math.random() / 2);
    return delay(Math.max(own, atLeastMs), undefined, { signal });
  }

  close(): void {
    this.#transport.close();
  }
}

/** Seconds or a date, as HTTP has it; the answer is in milliseconds. */
function retryAfter(header: string | undefined): number | undefined {
  if (header === undefined) return undefined;
  if (/^\d+$/.test(header.trim())) return Number(header) * 1000;
  const at = Date.parse(header);
  return Number.isNaN(at) ? undefined : Math.max(0, at - Date.now());
}
