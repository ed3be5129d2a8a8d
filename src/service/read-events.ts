import type { JsonObject } from '../domain/json.ts';
import { type ParsedMessage, parseMessage } from '../domain/parse-change-event.ts';

/** An event of a file that is to be published, or the reason why it is passed over. */
export type EventToPublish =
  | {
      readonly kind: 'publish';
      readonly eventId: string;
      readonly asset: string;
      readonly service: string;
      readonly raw: JsonObject;
    }
  | { readonly kind: 'pass'; readonly eventId: string; readonly reason: string };

/** What a file holds. With any problem nothing of it should be published. */
export interface EventsFile {
  readonly events: readonly EventToPublish[];
  /** One sentence each, with the place in the file. */
  readonly problems: readonly string[];
}

/** Reads one event, a list of them in any of the catalogue's wrappers, or one event a line. */
export function readEventsFile(data: Uint8Array): EventsFile {
  const events: EventToPublish[] = [];
  const problems: string[] = [];
  for (const { part, line } of partsOfFile(data)) {
    const at = line === undefined ? '' : `line ${line}: `;
    if (part.kind === 'change') {
      const { id, fqn, service } = part.event;
      events.push({ kind: 'publish', eventId: id, asset: fqn, service, raw: part.raw });
    } else if (part.kind === 'other') {
      events.push({ kind: 'pass', eventId: part.id, reason: `changes of a ${part.entityType} are never written back` });
    } else if (part.kind === 'test') {
      if (part.form === 'json') events.push({ kind: 'pass', eventId: '', reason: "the catalogue's test message" });
      else problems.push(`${at}This is plain text, not JSON.`);
    } else {
      problems.push(`${at}${part.problem.message} (at ${part.problem.where})`);
    }
  }
  if (events.length === 0 && problems.length === 0) problems.push('There is no event in it.');
  return { events, problems };
}

/** The parts of a whole message, or of each line where only the lines are JSON. */
export function partsOfFile(data: Uint8Array): readonly { readonly part: ParsedMessage; readonly line?: number }[] {
  const whole = parseMessage(data);
  const [first] = whole;
  if (first?.kind === 'problem' && first.problem.code === 'json-syntax') {
    const lines = Buffer.from(data)
      .toString('utf8')
      .split(/\r?\n/)
      .map((text, index) => ({ text, line: index + 1 }))
      .filter(({ text }) => text.trim() !== '');
    // Pretty-printed JSON with a fault in it has lines too, but those are no objects.
    if (lines.length > 1 && lines.every(({ text }) => /^\s*\{.*\}\s*$/s.test(text))) {
      return lines.flatMap(({ text, line }) => parseMessage(text).map((part) => ({ part, line })));
    }
  }
  return whole.map((part) => ({ part }));
}
