import { describe, expect, it } from 'vitest';
import { signedHeaders } from './aws-signature.ts';

// Of the test suite that AWS published for Signature Version 4.
const KEYS = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY' };
const NOW = Date.parse('2015-08-30T12:36:00Z');
const POST = { host: 'example.amazonaws.com', region: 'us-east-1', service: 'service', headers: {}, body: '' };

describe('signature of AWS requests', () => {
  it.each([
    ['post-vanilla', POST, '5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b'],
    [
      'post-x-www-form-urlencoded',
      { ...POST, headers: { 'content-type': 'application/x-www-form-urlencoded' }, body: 'Param1=value1' },
      'ff11897932ad3f4e8b18135d722051e5ac45fc38421b1da7b9d196a0fe09473a',
    ],
  ])('agrees with the published case %s', (_, post, signature) => {
    expect(signedHeaders(post, KEYS, NOW)).toMatchObject({
      'x-amz-date': '20150830T123600Z',
      authorization: expect.stringMatching(
        new RegExp(
          `^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, SignedHeaders=[-;a-z]+, Signature=${signature}$`,
        ),
      ),
    });
  });

  it('signs the token of a temporary identity with the rest', () => {
    const headers = signedHeaders(POST, { ...KEYS, sessionToken: 'token' }, NOW);
    expect(headers['x-amz-security-token']).toBe('token');
    expect(headers.authorization).toContain('SignedHeaders=host;x-amz-date;x-amz-security-token,');
    expect(JSON.stringify(headers)).not.toContain(KEYS.secretAccessKey);
  });
});
