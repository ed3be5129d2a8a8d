import { z } from 'zod';
import { readJson } from '../../src/domain/read-json.ts';
import { apiFault } from './api-request.ts';
import type { PublishReceipt } from './contract.ts';
import { fromApiFault, StreamError } from './stream-error.ts';

const pubAck = z.object({
  seq: z.number().optional(),
  duplicate: z.boolean().optional(),
  error: apiFault.optional(),
});

/** Reads JetStream's answer to a publish; a refusal comes back as the error, it is not thrown. `what` names the subject. */
export function readPubAck(text: string, what: string): PublishReceipt | StreamError {
  const { seq, duplicate, error } = readJson(pubAck, text) ?? {};
  if (error !== undefined) return fromApiFault(error, `publish to ${what}`);
  if (seq === undefined) return new StreamError('rejected', `Not JetStream answered to the publish to ${what}`);
  return { sequence: seq, duplicate: duplicate ?? false };
}
