import { createHash, randomUUID } from 'node:crypto';
import type { DeadLetter } from '../domain/outcome.ts';

/** What stopped a message at intake. */
export interface IntakeProblem {
  /** Stable, kebab-case. */
  readonly code: string;
  /** What, where, and how to repair it, for a person. */
  readonly message: string;
  readonly eventId?: string;
}

export interface DeadLetterDraft {
  readonly problem: IntakeProblem;
  readonly body: Uint8Array;
  readonly at: number;
  /** Same origin and position, same letter: a second try makes no second one. Absent: the letter is new. */
  readonly origin?: string | undefined;
  readonly position: number;
  readonly traceId?: string | undefined;
}

/** Ids and names in messages come from outside and may be as long as anything. */
const MAX_ID = 256;
const MAX_MESSAGE = 2_000;

/** A dead letter of intake that fits into `maxBytes` when encoded: of a body that is too large, the beginning stands in it. */
export function intakeDeadLetter(draft: DeadLetterDraft, maxBytes: number): DeadLetter {
  const { problem, traceId } = draft;
  const id = draft.origin === undefined ? randomUUID() : digest(`${draft.origin}/${draft.position}`);
  const letter = (body: string, bodyCut: boolean): DeadLetter => ({
    v: 1,
    id,
    ...(problem.eventId === undefined ? {} : { eventId: problem.eventId.slice(0, MAX_ID) }),
    at: draft.at,
    failure: { class: 'invalid', code: problem.code, message: problem.message.slice(0, MAX_MESSAGE) },
    ...(traceId === undefined ? {} : { traceId }),
    body,
    ...(bodyCut ? { bodyCut } : {}),
  });
  // A body never gets shorter by the encoding, so what is beyond the limit now need not be decoded at all.
  let cut = draft.body.byteLength > maxBytes;
  let text = Buffer.from(draft.body.subarray(0, maxBytes)).toString('utf8');
  for (let made = letter(text, cut); ; made = letter(text, cut)) {
    const size = Buffer.byteLength(JSON.stringify(made));
    if (size <= maxBytes || text === '') return made;
    cut = true;
    // One character may take six bytes as an escape, hence by proportion, and at least a tenth at a time.
    text = text.slice(0, Math.floor(Math.min(text.length * 0.9, (text.length * maxBytes) / size)));
  }
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}
