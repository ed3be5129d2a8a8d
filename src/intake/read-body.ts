import type { ChangeEvent } from '../domain/change-event.ts';
import type { JsonObject } from '../domain/json.ts';
import { type EventProblem, parseMessage } from '../domain/parse-change-event.ts';
import type { IntakeProblem } from './dead-letter.ts';

/** What intake has to do with one part of a body. */
export type FoundEvent =
  | { readonly kind: 'change'; readonly event: ChangeEvent; readonly raw: JsonObject }
  | { readonly kind: 'other'; readonly eventId: string; readonly entityType: string }
  | { readonly kind: 'test' }
  | { readonly kind: 'problem'; readonly problem: IntakeProblem; readonly body: Uint8Array };

/** Above this number the whole body goes to the dead letters once, instead of every unreadable part alone. */
const MAX_PROBLEMS = 100;

/**
 * Reads a body into what has to be done with its parts. Parts that are no event at all have no text of their own: they make one
 * problem together, which keeps the body.
 */
export function readBody(body: Uint8Array): readonly FoundEvent[] {
  const found: FoundEvent[] = [];
  const ownProblems: FoundEvent[] = [];
  const problems: EventProblem[] = [];
  let wholeBody = false;
  for (const part of parseMessage(body)) {
    switch (part.kind) {
      case 'change':
        found.push({ kind: 'change', event: part.event, raw: part.raw });
        break;
      case 'other':
        found.push({ kind: 'other', eventId: part.id, entityType: part.entityType });
        break;
      case 'test':
        if (part.form === 'json') found.push({ kind: 'test' });
        else found.push({ kind: 'problem', problem: PLAIN_TEXT, body });
        break;
      case 'problem':
        problems.push(part.problem);
        if (part.raw === undefined) wholeBody = true;
        else if (ownProblems.length < MAX_PROBLEMS) ownProblems.push(ownProblem(part.problem, part.raw));
    }
  }
  if (wholeBody || problems.length > MAX_PROBLEMS) {
    return [...found, { kind: 'problem', problem: jointProblem(problems), body }];
  }
  return [...found, ...ownProblems];
}

const PLAIN_TEXT: IntakeProblem = {
  code: 'plain-text',
  message: 'The body is plain text, not JSON. OpenMetadata up to 1.6 sends such a text to test a destination.',
};

function ownProblem(problem: EventProblem, raw: JsonObject): FoundEvent {
  const eventId = typeof raw.id === 'string' && raw.id.length <= 256 ? { eventId: raw.id } : {};
  return {
    kind: 'problem',
    problem: { code: problem.code, message: describe(problem), ...eventId },
    body: Buffer.from(JSON.stringify(raw)),
  };
}

function jointProblem(problems: readonly EventProblem[]): IntakeProblem {
  const shown = problems.slice(0, 3).map(describe).join(' ');
  const more = problems.length > 3 ? ` And ${problems.length - 3} more.` : '';
  return { code: problems[0]?.code ?? 'no-event', message: `${shown}${more}` };
}

function describe(problem: EventProblem): string {
  return `${problem.message} (at ${problem.where})`;
}
