/** What stands instead of a secret. */
export const REDACTED = '[redacted]';

const SECRET_KEY =
  /pass(word|wd|phrase)?$|passw|secret|token|authoriz|credential|private.?key|api.?key|access.?key|cookie|jwt|signature|^auth$|authType|dsn$|connection.?string/i;

/** Plain data below this depth is not logged; it also ends cycles. */
const MAX_DEPTH = 6;

const MAX_TEXT = 8_192;

/** Whether the name of a member says that its value must not be seen. */
export function isSecretKey(key: string): boolean {
  return SECRET_KEY.test(key);
}

/** Takes user and password out of every URL in a text, and cuts what is far too long for a log line. */
export function redactText(text: string): string {
  const cut = text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}… (${text.length - MAX_TEXT} more characters)` : text;
  return cut.replace(/\b([a-z][a-z0-9+.-]{0,30}:\/\/)[^\s"'<>]*@/gi, `$1${REDACTED}@`);
}

/** A copy of plain data, fit for a log line: members with secret-looking names and passwords in URLs are replaced. Never throws. */
export function redact(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return redactText(value);
  if (typeof value === 'bigint') return value.toString();
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= MAX_DEPTH) return '[deeper]';
  if (value instanceof Error) return describeError(value, depth);
  if (value instanceof Uint8Array) return `[${value.byteLength} bytes]`;
  if (Array.isArray(value)) return value.map((item) => redact(item, depth + 1));
  if (value instanceof Date) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, isSecretKey(key) ? REDACTED : redact(member, depth + 1)]),
  );
}

/** Drivers hang connection settings on their errors, so only the members known to be harmless are taken. */
function describeError(error: Error, depth: number): Readonly<Record<string, unknown>> {
  return {
    type: error.name,
    message: redactText(error.message),
    ...('code' in error && (typeof error.code === 'string' || typeof error.code === 'number')
      ? { code: error.code }
      : {}),
    ...(error.stack === undefined ? {} : { stack: redactText(error.stack) }),
    ...(error.cause === undefined ? {} : { cause: redact(error.cause, depth + 1) }),
  };
}
