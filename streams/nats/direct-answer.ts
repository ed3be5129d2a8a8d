import type { Msg } from '@nats-io/nats-core';
import type { MessageHeaders, StoredMessage } from './contract.ts';
import { readHeaders } from './message-headers.ts';

/** Headers that a direct get adds to the stored ones. */
const ADDED = new Set([
  'Nats-Stream',
  'Nats-Subject',
  'Nats-Sequence',
  'Nats-Time-Stamp',
  'Nats-Last-Sequence',
  'Nats-Num-Pending',
]);

/** The message that a direct get answers with; undefined where the answer does not say which it is. */
export function readDirectAnswer(answer: Msg): StoredMessage | undefined {
  const { headers } = answer;
  const subject = headers?.get('Nats-Subject') ?? '';
  const sequence = Number(headers?.get('Nats-Sequence') || Number.NaN);
  const time = Date.parse(headers?.get('Nats-Time-Stamp') ?? '');
  if (headers === undefined || subject === '' || !Number.isFinite(sequence) || !Number.isFinite(time)) return undefined;
  return {
    subject,
    sequence,
    time,
    data: answer.data,
    // Gone through when they are asked for: sync states, which are read most, are read without.
    get headers(): MessageHeaders {
      return Object.fromEntries(Object.entries(readHeaders(headers)).filter(([name]) => !ADDED.has(name)));
    },
  };
}
