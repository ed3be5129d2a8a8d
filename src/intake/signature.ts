import { createHmac, timingSafeEqual } from 'node:crypto';

/** The header that OpenMetadata puts the signature in, lower case as Node gives it. */
export const SIGNATURE_HEADER = 'x-om-signature';

export type SignatureVerdict = 'valid' | 'missing' | 'malformed' | 'wrong';

/** `sha256=` and the Base64 (not hexadecimal) HMAC-SHA256 over the exact bytes of the body, as OpenMetadata makes it. */
export function sign(rawBody: Uint8Array | string, secret: string): string {
  return `sha256=${createHmac('sha256', secret).update(rawBody).digest('base64')}`;
}

/**
 * Compares in constant time. Several secrets may be valid at once, so that they can be changed without a gap; all of them are
 * tried, whichever fits, and an empty one fits nothing.
 */
export function verifySignature(
  rawBody: Uint8Array,
  header: string | undefined,
  secrets: readonly string[],
): SignatureVerdict {
  if (header === undefined || header === '') return 'missing';
  if (!/^sha256=[A-Za-z0-9+/]{43}=$/.test(header)) return 'malformed';
  const given = Buffer.from(header, 'latin1');
  let valid = false;
  for (const secret of secrets) {
    if (secret === '') continue;
    const same = timingSafeEqual(given, Buffer.from(sign(rawBody, secret), 'latin1'));
    valid = same || valid;
  }
  return valid ? 'valid' : 'wrong';
}
