import { z } from 'zod';
import type { NatsLink } from './connection.ts';
import { fromApiFault, StreamError, toStreamError } from './stream-error.ts';

export const API_TIMEOUT_MS = 5_000;

/** The error member of every answer of the JetStream API. */
export const apiFault = z.object({
  code: z.number(),
  err_code: z.number().optional(),
  description: z.string().optional(),
});

const failed = z.object({ error: apiFault });

/**
 * Asks the JetStream API (`subject` without `$JS.API.`) and reads its JSON answer. Errors: `StreamError`, among them `not-found`.
 * `doing` completes "NATS refused to …".
 */
export async function apiRequest<T>(
  link: NatsLink,
  subject: string,
  body: object | undefined,
  answer: z.ZodType<T>,
  doing: string,
  timeoutMs = API_TIMEOUT_MS,
): Promise<T> {
  const payload = body === undefined ? '' : JSON.stringify(body);
  const message = await link.nc
    .request(`$JS.API.${subject}`, payload, { timeout: timeoutMs })
    .catch((error: unknown) => {
      throw toStreamError(error, doing);
    });
  const json = parseJson(message.string(), doing);
  const fault = failed.safeParse(json);
  if (fault.success) throw fromApiFault(fault.data.error, doing);
  const parsed = answer.safeParse(json);
  if (!parsed.success)
    throw new StreamError('rejected', `NATS answered strangely to: ${doing}`, { cause: parsed.error });
  return parsed.data;
}

function parseJson(text: string, doing: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new StreamError('rejected', `NATS answered no JSON to: ${doing}`, { cause: error });
  }
}
