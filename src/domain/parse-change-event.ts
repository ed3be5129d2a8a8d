import { isUtf8 } from 'node:buffer';
import { z } from 'zod';
import { NO_TIMES, readChangedAt, readFieldChanges } from './change-description.ts';
import type { ChangeEvent } from './change-event.ts';
import { ENTITY_TYPES, type EntityType } from './entity.ts';
import { formatFqn } from './fqn.ts';
import { isJsonObject, type Json, type JsonObject } from './json.ts';
import { parseJsonText } from './json-text.ts';
import { entityNameParts, parseSnapshot } from './parse-snapshot.ts';
import { unwrapMessage } from './unwrap-message.ts';

/** Why something in a message is no usable event: what, and where in the message. Holds no catalogue text. */
export interface EventProblem {
  readonly code:
    | 'not-utf8'
    | 'json-syntax'
    | 'json-too-deep'
    | 'no-event'
    | 'invalid-event'
    | 'entity-unreadable'
    | 'no-name';
  readonly message: string;
  /** Path in the message, `$` is its top: `$.data[2].timestamp`. */
  readonly where: string;
}

/** What one part of a message turned out to be. `raw` is the event alone, without wrappers, as it was parsed. */
export type ParsedMessage =
  | { readonly kind: 'change'; readonly event: ChangeEvent; readonly raw: JsonObject }
  /** About an entity type that is never written back (or a thread, a user, …). */
  | {
      readonly kind: 'other';
      readonly id: string;
      readonly entityType: string;
      readonly eventType: string;
      readonly raw: JsonObject;
    }
  /** What the catalogue sends to try a destination; `text` form is what 1.6 sends. */
  | { readonly kind: 'test'; readonly form: 'json' | 'text'; readonly text: string }
  | { readonly kind: 'problem'; readonly problem: EventProblem; readonly raw?: JsonObject };

const envelope = z.looseObject({
  id: z.string().min(1),
  eventType: z.string().min(1),
  entityType: z.string().min(1),
  entityId: z.string().min(1),
  timestamp: z.number(),
  entityFullyQualifiedName: z.string().nullish(),
  userName: z.string().nullish(),
  impersonatedBy: z.string().nullish(),
  currentVersion: z.number().nullish(),
});
type Envelope = z.infer<typeof envelope>;

/**
 * Reads a message of any publisher: the body of a webhook, an answer of the events API, what a bridge published.
 * Never throws; every event that the message holds gives one entry, in the order of the message.
 */
export function parseMessage(message: string | Uint8Array): readonly ParsedMessage[] {
  const text = typeof message === 'string' ? message : decodeUtf8(message);
  if (text === undefined) return [problem('not-utf8', '$', 'The message is not valid UTF-8.')];
  const json = parseJsonText(text.startsWith('\uFEFF') ? text.slice(1) : text);
  if (!json.ok) {
    // 1.6 tries a destination with plain text; whatever starts like JSON was meant as JSON.
    if (json.error.code === 'json-syntax' && text.length <= 4096 && !/^\s*([[{"]|$)/.test(text)) {
      return [{ kind: 'test', form: 'text', text }];
    }
    return [problem(json.error.code, '$', json.error.message)];
  }
  return unwrapMessage(json.value).map((found): ParsedMessage => {
    if (found.kind === 'test') return { kind: 'test', form: 'json', text: found.text };
    if (found.kind === 'unknown') return problem('no-event', found.where, `No event found: ${found.message}.`);
    return parseEvent(found.event, found.where);
  });
}

function parseEvent(raw: JsonObject, where: string): ParsedMessage {
  const checked = envelope.safeParse(raw);
  if (!checked.success) {
    const issue = checked.error.issues[0];
    const member = (issue?.path ?? []).map(String).join('.');
    const at = member === '' ? where : `${where}.${member}`;
    return {
      ...problem('invalid-event', at, `The event's ${member} is missing or wrong: ${issue?.message ?? ''}.`),
      raw,
    };
  }
  const head = checked.data;
  const entityType = ENTITY_TYPES.find((type) => type === head.entityType);
  if (entityType === undefined) {
    return { kind: 'other', id: head.id, entityType: head.entityType, eventType: head.eventType, raw };
  }
  return readEvent(raw, head, entityType, where);
}

function readEvent(raw: JsonObject, head: Envelope, entityType: EntityType, where: string): ParsedMessage {
  const entity = readEntity(raw.entity);
  if (entity === 'too-deep') {
    return { ...problem('json-too-deep', `${where}.entity`, 'The entity is nested too deep.'), raw };
  }
  const envelopeFqn = head.entityFullyQualifiedName ?? undefined;
  const snapshot = entity === undefined ? undefined : parseSnapshot(entity, entityType, envelopeFqn);
  const parts = snapshot === undefined ? entityNameParts(envelopeFqn, entityType) : undefined;
  const fqn = snapshot?.fqn ?? (parts === undefined ? undefined : formatFqn(parts));
  const service = snapshot?.service ?? parts?.[0];
  if (fqn === undefined || service === undefined) {
    const told = entity === undefined ? 'carries no readable entity' : 'carries an entity without a usable name';
    const code = entity === undefined && raw.entity !== undefined ? 'entity-unreadable' : 'no-name';
    return {
      ...problem(
        code,
        `${where}.entity`,
        `The event ${told}, and its entityFullyQualifiedName names no ${entityType}.`,
      ),
      raw,
    };
  }
  const description = isJsonObject(raw.changeDescription) ? raw.changeDescription : undefined;
  const changes = description === undefined ? undefined : readFieldChanges(description);
  const previousVersion = description?.previousVersion;
  const event: ChangeEvent = {
    id: head.id,
    eventType: head.eventType,
    entityType,
    entityId: head.entityId,
    fqn,
    service,
    userName: head.userName ?? '',
    ...(typeof head.impersonatedBy === 'string' ? { impersonatedBy: head.impersonatedBy } : {}),
    timestamp: head.timestamp,
    currentVersion: head.currentVersion ?? snapshot?.version ?? 0,
    ...(typeof previousVersion === 'number' ? { previousVersion } : {}),
    ...(changes === undefined ? {} : { changes }),
    changedAt: description === undefined ? NO_TIMES : readChangedAt(description),
    ...(snapshot === undefined ? {} : { snapshot }),
  };
  return { kind: 'change', event, raw };
}

/** The entity comes as JSON text, or (bulk imports, resolved tasks) as an object. */
function readEntity(value: Json | undefined): JsonObject | undefined | 'too-deep' {
  if (typeof value !== 'string') return isJsonObject(value) ? value : undefined;
  const parsed = parseJsonText(value);
  if (!parsed.ok) return parsed.error.code === 'json-too-deep' ? 'too-deep' : undefined;
  return isJsonObject(parsed.value) ? parsed.value : undefined;
}

function decodeUtf8(bytes: Uint8Array): string | undefined {
  if (!isUtf8(bytes)) return undefined;
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
}

function problem(code: EventProblem['code'], where: string, message: string): ParsedMessage & { kind: 'problem' } {
  return { kind: 'problem', problem: { code, message, where } };
}
