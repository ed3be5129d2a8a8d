import { isJsonObject, type Json } from '../domain/json.ts';
import { parseReferences } from './secret-reference.ts';

const MASK = '***';

const SECRET_KEY =
  /pass(word|phrase|wd)|pwd|secret|token|private_?key|api_?key|access_?key|credential|jwt|ssl_?key|uri_?string|connection_?string/i;
/** Keys that only sound so. */
const OPEN_KEY = /^(privateKeyId|tokenU(RL|RI)|token_u(rl|ri)|subjectTokenType|keyfile|.*AccessKeyId|.*Path|.*File)$/i;

/** `scheme://user:password@`, and `password=…` inside an option text. */
const USER_INFO = /(\b[a-z][a-z0-9+.-]{0,30}:\/\/[^\s:/?#@]{0,200}):([^\s/?#@]{1,500})@/gi;
const OPTION = /\b((?:password|passwd|pwd|secret|token)\s{0,5}=\s{0,5})([^\s;&,]{1,500})/gi;

/** Whether a value under this key has to be kept from every eye; `secret`: the value that holds it has to be. */
export function isSecret(key: string, value: Json, secret: boolean): boolean {
  if (OPEN_KEY.test(key)) return false;
  // `credentials` is mostly a holder of many settings, each with a key that speaks for itself.
  const holder = isJsonObject(value) && /credential/i.test(key);
  return secret || (SECRET_KEY.test(key) && !holder);
}

/** A connection as it may be shown: secrets masked; references stay, since they hold none. */
export function redact(value: Json, secret = false): Json {
  if (typeof value === 'string') return redactText(value, secret);
  if (Array.isArray(value)) return value.map((item: Json) => redact(item, secret));
  if (!isJsonObject(value)) return secret && typeof value === 'number' ? MASK : value;
  const entries = Object.entries(value).map(([key, item = null]) => [key, redact(item, isSecret(key, item, secret))]);
  return Object.fromEntries(entries);
}

/** Whether a text of a connection holds a secret in the clear, given whether its key is a secret's. */
export function holdsPlainSecret(text: string, secret: boolean): boolean {
  return redactText(text, secret) !== text;
}

function redactText(text: string, secret: boolean): string {
  if (!secret) return text.replace(USER_INFO, unlessReference(':', '@')).replace(OPTION, unlessReference('', ''));
  const parts = parseReferences(text);
  if (!parts.ok) return MASK;
  return parts.value
    .map((part) => {
      if (part.kind === 'text') return MASK;
      if (part.kind === 'file') return `\${file:${part.path}}`;
      return part.fallback === undefined || part.fallback === '' ? `\${${part.name}}` : `\${${part.name}:${MASK}}`;
    })
    .join('');
}

function unlessReference(before: string, after: string): (whole: string, start: string, value: string) => string {
  return (whole, start, value) => (/^\$\{[^}:]*\}$/.test(value) ? whole : `${start}${before}${MASK}${after}`);
}
