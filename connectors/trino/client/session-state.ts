import type { IncomingHttpHeaders } from 'node:http';

/**
 * What Trino keeps with the client instead of the server: `SET SESSION`, `SET ROLE` and `USE` only answer with headers, which the client
 * has to send with every later statement. Values are kept as they travel (URL-encoded).
 */
export interface SessionState {
  readonly properties: Map<string, string>;
  readonly roles: Map<string, string>;
  catalog?: string;
  schema?: string;
  /** An open transaction; without one every statement is one of its own. */
  transaction?: string;
}

/** A state of its own, so that what a template sets ends with it. */
export function copyOf(state: SessionState): SessionState {
  return { ...state, properties: new Map(state.properties), roles: new Map(state.roles) };
}

/** `backflow: { roles: { hive: admin } }` as the header holds it: `ALL`, `NONE` or `ROLE{name}`. */
export function roleValue(role: string): string {
  const whole = /^(ALL|NONE|ROLE\{.*\})$/.test(role) ? role : `ROLE{${role}}`;
  return encodeURIComponent(whole);
}

/** The headers that carry the state. */
export function stateHeaders(state: SessionState): Record<string, string> {
  const list = (map: ReadonlyMap<string, string>) => [...map].map(([key, value]) => `${key}=${value}`).join(',');
  return {
    'X-Trino-Transaction-Id': state.transaction ?? 'NONE',
    ...(state.properties.size === 0 ? {} : { 'X-Trino-Session': list(state.properties) }),
    ...(state.roles.size === 0 ? {} : { 'X-Trino-Role': list(state.roles) }),
    ...(state.catalog === undefined ? {} : { 'X-Trino-Catalog': state.catalog }),
    ...(state.schema === undefined ? {} : { 'X-Trino-Schema': state.schema }),
  };
}

/** Takes over what a page of a statement changed. */
export function applyHeaders(state: SessionState, headers: IncomingHttpHeaders): void {
  for (const [key, value] of pairsOf(headers['x-trino-set-session'])) state.properties.set(key, value);
  for (const key of textOf(headers['x-trino-clear-session']).split(',')) state.properties.delete(key.trim());
  for (const [key, value] of pairsOf(headers['x-trino-set-role'])) state.roles.set(key, value);
  const started = textOf(headers['x-trino-started-transaction-id']);
  if (started !== '') state.transaction = started;
  if (textOf(headers['x-trino-clear-transaction-id']) === 'true') delete state.transaction;
  const [catalog, schema] = [textOf(headers['x-trino-set-catalog']), textOf(headers['x-trino-set-schema'])];
  if (catalog !== '') state.catalog = catalog;
  if (schema !== '') state.schema = schema;
}

function textOf(header: string | readonly string[] | undefined): string {
  return typeof header === 'string' ? header : (header?.join(',') ?? '');
}

function* pairsOf(header: string | readonly string[] | undefined): Iterable<readonly [string, string]> {
  for (const part of textOf(header).split(',')) {
    const at = part.indexOf('=');
    if (at > 0) yield [part.slice(0, at).trim(), part.slice(at + 1).trim()];
  }
}
