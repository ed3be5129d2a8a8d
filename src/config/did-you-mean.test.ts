import { describe, expect, it } from 'vitest';
import { suggestion } from './did-you-mean.ts';

describe('suggestion', () => {
  it('names what is near, else everything that is allowed, in order and each once', () => {
    expect(suggestion('reprots', ['docs', 'reports'], 'known channels')).toBe('did you mean "reports"?');
    expect(suggestion('xyz', ['reports', 'docs', 'reports'], 'known channels')).toBe('known channels: docs, reports');
  });
});
