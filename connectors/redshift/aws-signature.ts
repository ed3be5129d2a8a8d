import { createHash, createHmac } from 'node:crypto';

export interface AwsKeys {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

/** A POST to the root of an AWS service. Header names in lower case. */
export interface AwsPost {
  readonly host: string;
  readonly region: string;
  readonly service: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/**
 * The headers that make AWS believe a request: AWS Signature Version 4 (AWS General Reference, "Signing AWS API requests").
 * `now`: milliseconds since 1970. The host header is signed, and sent by whoever sends the request.
 */
export function signedHeaders(post: AwsPost, keys: AwsKeys, now: number): Readonly<Record<string, string>> {
  const at = new Date(now).toISOString().replaceAll(/[-:]|\.\d{3}/g, '');
  const day = at.slice(0, 8);
  const headers: Record<string, string> = {
    ...post.headers,
    'x-amz-date': at,
    ...(keys.sessionToken === undefined ? {} : { 'x-amz-security-token': keys.sessionToken }),
  };
  const signed = { ...headers, host: post.host };
  const sorted = Object.entries(signed).sort(([one], [other]) => (one < other ? -1 : 1));
  const names = sorted.map(([name]) => name).join(';');
  const canonical = [
    'POST',
    '/',
    '',
    ...sorted.map(([name, value]) => `${name}:${value.trim().replaceAll(/ +/g, ' ')}`),
    '',
    names,
    sha256(post.body),
  ].join('\n');
  const scope = `${day}/${post.region}/${post.service}/aws4_request`;
  const toSign = ['AWS4-HMAC-SHA256', at, scope, sha256(canonical)].join('\n');
  const key = [day, post.region, post.service, 'aws4_request'].reduce<Buffer>(
    (secret, part) => hmac(secret, part),
    Buffer.from(`AWS4${keys.secretAccessKey}`),
  );
  const signature = hmac(key, toSign).toString('hex');
  const authorization = `AWS4-HMAC-SHA256 Credential=${keys.accessKeyId}/${scope}, SignedHeaders=${names}, Signature=${signature}`;
  return { ...headers, authorization };
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function hmac(key: Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}
