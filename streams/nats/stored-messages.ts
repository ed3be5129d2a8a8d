import { type Msg, MsgHdrsImpl } from '@nats-io/nats-core';
import { z } from 'zod';
import { API_TIMEOUT_MS, apiRequest } from './api-request.ts';
import type { NatsLink } from './connection.ts';
import type { StoredMessage } from './contract.ts';
import { readDirectAnswer } from './direct-answer.ts';
import { directGets, PARALLEL } from './direct-gets.ts';
import { readHeaders } from './message-headers.ts';
import { StreamError, toStreamError } from './stream-error.ts';

/** Fewer subjects are asked for one by one. */
const FEW = 4;

const storedAnswer = z.object({
  message: z.object({
    subject: z.string(),
    seq: z.number(),
    time: z.string(),
    data: z.string().optional(),
    hdrs: z.string().optional(),
  }),
});

export interface ReadOptions {
  readonly timeoutMs?: number;
}

/**
 * The last message of a subject, or undefined. Sees every write that was confirmed before: in a cluster the leader is asked,
 * because a direct get may be answered by a replica that lags behind (a node that comes back serves them from 90 % on).
 */
export function getLast(
  link: NatsLink,
  stream: string,
  subject: string,
  options: ReadOptions = {},
): Promise<StoredMessage | undefined> {
  const query = { last_by_subj: subject };
  return present(link, stream, query, () => directGet(link, `${stream}.${subject}`, undefined, options), options);
}

/** The last message of a subject as the stream's leader has it: what a compare-and-set must be based on. */
export function getLastFromLeader(
  link: NatsLink,
  stream: string,
  subject: string,
  options: ReadOptions = {},
): Promise<StoredMessage | undefined> {
  return leaderGet(link, stream, { last_by_subj: subject }, options);
}

/** A message by its place, or undefined when it is gone. */
export async function getBySequence(
  link: NatsLink,
  stream: string,
  sequence: number,
  options: ReadOptions = {},
): Promise<StoredMessage | undefined> {
  const query = { seq: sequence };
  const direct = async () => {
    const found = await directGet(link, stream, query, options);
    // A place never changes what it holds, but a replica that lags may not have it yet.
    return found === undefined && link.clustered() ? leaderGet(link, stream, query, options) : found;
  };
  return orFromLeader(link, stream, query, direct, options);
}

/** The first message at or after a sequence whose subject matches the filter (wildcards allowed), or undefined. */
export function getNext(
  link: NatsLink,
  stream: string,
  fromSequence: number,
  filter: string,
  options: ReadOptions = {},
): Promise<StoredMessage | undefined> {
  const query = { seq: Math.max(1, fromSequence), next_by_subj: filter };
  return present(link, stream, query, () => directGet(link, stream, query, options), options);
}

/** The last messages of many subjects, asked for in parallel; subjects without one are absent from the answer. */
export async function getLastMany(
  link: NatsLink,
  stream: string,
  subjects: readonly string[],
  options: ReadOptions = {},
): Promise<Map<string, StoredMessage>> {
  const found = new Map<string, StoredMessage>();
  const note = (subject: string, message: StoredMessage | undefined): void => {
    if (message !== undefined) found.set(subject, message);
  };
  const take = (subject: string, answer: Msg) => note(subject, fromDirect(answer, `read from ${stream}`));
  const unanswered =
    subjects.length < FEW || link.clustered()
      ? subjects
      : await directGets(link, stream, subjects, take, options.timeoutMs);
  const waiting = unanswered.values();
  const work = async () => {
    // All workers draw from the one iterator.
    for (const subject of waiting) note(subject, await getLast(link, stream, subject, options));
  };
  await Promise.all(Array.from({ length: Math.min(PARALLEL, unanswered.length) }, work));
  return found;
}

type Read = () => Promise<StoredMessage | undefined>;

/** What stands there now: directly where one server has it all, else from the leader. */
function present(link: NatsLink, stream: string, query: object, direct: Read, options: ReadOptions): ReturnType<Read> {
  if (link.clustered()) return leaderGet(link, stream, query, options);
  return orFromLeader(link, stream, query, direct, options);
}

/** The direct way is cheaper, but not every stream and every moment has it. */
async function orFromLeader(
  link: NatsLink,
  stream: string,
  query: object,
  direct: Read,
  options: ReadOptions,
): ReturnType<Read> {
  try {
    return await direct();
  } catch (error) {
    if (!isWorthTheLeader(error)) throw error;
    return leaderGet(link, stream, query, options);
  }
}

async function directGet(
  link: NatsLink,
  target: string,
  query: object | undefined,
  options: ReadOptions,
): Promise<StoredMessage | undefined> {
  const payload = query === undefined ? '' : JSON.stringify(query);
  const timeout = options.timeoutMs ?? API_TIMEOUT_MS;
  const doing = `read from ${target}`;
  const answer = await link.nc.request(`$JS.API.DIRECT.GET.${target}`, payload, { timeout }).catch((error: unknown) => {
    throw toStreamError(error, doing);
  });
  return fromDirect(answer, doing);
}

/** Undefined when there is no such message; throws for an answer that is neither. */
function fromDirect(answer: Msg, doing: string): StoredMessage | undefined {
  const code = answer.headers?.code ?? 0;
  if (code === 404) return undefined;
  if (code !== 0) throw new StreamError('rejected', `NATS refused to ${doing}: ${answer.headers?.description ?? code}`);
  const stored = readDirectAnswer(answer);
  if (stored === undefined) throw new StreamError('rejected', `NATS answered strangely to: ${doing}`);
  return stored;
}

async function leaderGet(
  link: NatsLink,
  stream: string,
  query: object,
  options: ReadOptions,
): Promise<StoredMessage | undefined> {
  const timeout = options.timeoutMs ?? API_TIMEOUT_MS;
  try {
    const { message } = await apiRequest(
      link,
      `STREAM.MSG.GET.${stream}`,
      query,
      storedAnswer,
      `read from ${stream}`,
      timeout,
    );
    const raw = message.hdrs === undefined ? undefined : MsgHdrsImpl.decode(Buffer.from(message.hdrs, 'base64'));
    return {
      subject: message.subject,
      sequence: message.seq,
      time: Date.parse(message.time),
      headers: readHeaders(raw),
      data: Buffer.from(message.data ?? '', 'base64'),
    };
  } catch (error) {
    // A missing stream is "not found" as well, and no message says so itself.
    if (error instanceof StreamError && error.code === 'not-found' && error.message.includes('10037')) return undefined;
    throw error;
  }
}

/** Streams without direct access have no responder there; a replica that is starting may not answer in time. */
function isWorthTheLeader(error: unknown): boolean {
  return error instanceof StreamError && ['no-responders', 'timeout', 'rejected'].includes(error.code);
}
