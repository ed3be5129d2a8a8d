import { describe, expect, it } from 'vitest';
import { parseServerAddresses } from './server-address.ts';

describe('parseServerAddresses', () => {
  it('takes credentials out of the addresses', () => {
    expect(parseServerAddresses('nats://us%40er:p%3Ass@a:4222, tls://b:4333/')).toEqual({
      servers: ['a:4222', 'b:4333'],
      user: 'us@er',
      pass: 'p:ss',
      tls: true,
    });
    expect(parseServerAddresses('nats://tok@n@[::1]:4222')).toEqual({
      servers: ['[::1]:4222'],
      token: 'tok@n',
      tls: false,
    });
    expect(parseServerAddresses(['host', '%zz:x@other'])).toEqual({
      servers: ['host', 'other'],
      user: '%zz',
      pass: 'x',
      tls: false,
    });
  });
});
