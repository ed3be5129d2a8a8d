import { isJsonObject, type Json, type JsonObject } from './json.ts';
import { parseJsonText } from './json-text.ts';

/** One thing found in a message: a would-be event, the server's test message, or something else. */
export type Unwrapped =
  | { readonly kind: 'event'; readonly where: string; readonly event: JsonObject }
  | { readonly kind: 'test'; readonly text: string }
  | { readonly kind: 'unknown'; readonly where: string; readonly message: string };

/** Members under which bridges and lists wrap an event or a list of events. */
const WRAPPERS = ['data', 'event', 'changeEvent', 'payload', 'body', 'value', 'after', 'record', 'json', 'message'];
const MAX_WRAPPING = 4;

/**
 * Finds the events in a parsed message: one bare event, a list response `{data: […]}`, a bare array, or an envelope around any
 * of these (the inner one may be JSON text). `where` is a path such as `$.data[3]`.
 */
export function unwrapMessage(value: Json, where = '$', depth = 0): readonly Unwrapped[] {
  if (Array.isArray(value)) {
    if (depth >= MAX_WRAPPING) return [unknown(where, 'lists are nested too deep')];
    return (value as readonly Json[]).flatMap((item, index) => unwrapMessage(item, `${where}[${index}]`, depth + 1));
  }
  if (!isJsonObject(value)) return [unknown(where, `expected an object, found ${describe(value)}`)];
  if (looksLikeEvent(value)) return [{ kind: 'event', where, event: value }];
  for (const member of WRAPPERS) {
    const inner = readInner(value[member]);
    if (inner === undefined) continue;
    if (depth >= MAX_WRAPPING) return [unknown(where, 'the event is wrapped too often')];
    return unwrapMessage(inner, `${where}.${member}`, depth + 1);
  }
  if (typeof value.message === 'string') return [{ kind: 'test', text: value.message }];
  return [
    unknown(
      where,
      'neither an event nor anything that holds one; an event has eventType, entityType, entityId and timestamp',
    ),
  ];
}

function looksLikeEvent(value: JsonObject): boolean {
  return value.entityType !== undefined || (value.eventType !== undefined && value.entityId !== undefined);
}

/** Objects and lists as they are, and JSON text of such. */
function readInner(value: Json | undefined): Json | undefined {
  if (typeof value === 'object' && value !== null) return value;
  if (typeof value !== 'string' || !/^\s*[[{]/.test(value)) return undefined;
  const parsed = parseJsonText(value);
  return parsed.ok ? parsed.value : undefined;
}

function unknown(where: string, message: string): Unwrapped {
  return { kind: 'unknown', where, message };
}

function describe(value: Json): string {
  return value === null ? 'null' : `a ${typeof value}`;
}
