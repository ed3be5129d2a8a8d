import { describe, expect, it } from 'vitest';
import { isLoopbackHost, isLoopbackHostHeader } from './loopback.ts';

describe('isLoopbackHost', () => {
  it.each(['127.0.0.1', '127.9.9.9', 'localhost', 'LOCALHOST', '::1', '[::1]', '::ffff:127.0.0.1'])('%s is', (host) => {
    expect(isLoopbackHost(host)).toBe(true);
  });
  it.each(['0.0.0.0', '::', '', '10.0.0.1', '127.evil.example', 'localhost.evil.example', '::ffff:10.0.0.1'])(
    '%s is not',
    (host) => {
      expect(isLoopbackHost(host)).toBe(false);
    },
  );
});

describe('isLoopbackHostHeader', () => {
  it.each(['127.0.0.1:8085', 'localhost:8085', 'localhost', '[::1]:8085'])('%s names this machine', (header) => {
    expect(isLoopbackHostHeader(header)).toBe(true);
  });
  it.each([undefined, '', 'evil.example', 'evil.example:8085', '127.0.0.1.evil.example', 'localhost:80:80'])(
    '%s does not',
    (header) => {
      expect(isLoopbackHostHeader(header)).toBe(false);
    },
  );
});
