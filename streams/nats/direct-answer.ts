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
  let subject = '';
  let sequence = Number.NaN;
  let time = Number.NaN;
  for (const [name, [value = '']] of headers ?? []) {
    if (name === 'Nats-Subject') subject = value;
    else if (name === 'Nats-Sequence' && value !== '') sequence = Number(value);
    else if (name === 'Nats-Time-Stamp') time = Date.parse(value);
  }
  if (subject === '' || !Number.isFinite(sequence) || !Number.isFinite(time)) return undefined;
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
