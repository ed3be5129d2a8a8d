import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { sign, verifySignature } from './signature.ts';

const body = Buffer.from('{"id":"1","text":"ü😀"}');

describe('verifySignature', () => {
  it('accepts what OpenMetadata makes: Base64 HMAC over the exact bytes', () => {
    const made = `sha256=${createHmac('sha256', 'whsec').update(body).digest('base64')}`;
    expect(verifySignature(body, made, ['whsec'])).toBe('valid');
    expect(sign(body, 'whsec')).toBe(made);
  });

  it('accepts any of several secrets while one is being changed', () => {
    const header = sign(body, 'old');
    expect(verifySignature(body, header, ['new', 'old'])).toBe('valid');
    expect(verifySignature(body, header, ['old', 'new'])).toBe('valid');
    expect(verifySignature(body, header, ['new'])).toBe('wrong');
  });

  it('refuses a body that differs in one byte', () => {
    expect(verifySignature(Buffer.concat([body, Buffer.from(' ')]), sign(body, 's'), ['s'])).toBe('wrong');
  });

  it('refuses everything while no secret is configured, an empty secret included', () => {
    expect(verifySignature(body, sign(body, ''), [])).toBe('wrong');
    expect(verifySignature(body, sign(body, ''), [''])).toBe('wrong');
  });

  it.each([
    ['hexadecimal', `sha256=${createHmac('sha256', 's').update(body).digest('hex')}`],
    ['without prefix', sign(body, 's').slice('sha256='.length)],
    ['other algorithm', sign(body, 's').replace('sha256', 'sha1')],
    ['two values', `${sign(body, 's')}, ${sign(body, 's')}`],
    ['URL alphabet', 'sha256=-_-_-_-_-_-_-_-_-_-_-_-_-_-_-_-_-_-_-_-_-_-='],
    ['trailing blank', `${sign(body, 's')} `],
  ])('calls a header malformed: %s', (_what, header) => {
    expect(verifySignature(body, header, ['s'])).toBe('malformed');
  });

  it('tells a missing header from a wrong one', () => {
    expect(verifySignature(body, undefined, ['s'])).toBe('missing');
    expect(verifySignature(body, '', ['s'])).toBe('missing');
  });
});
