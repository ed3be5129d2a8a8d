import { describe, expect, it } from 'vitest';
import { configDifferences, describeDifferences } from './config-difference.ts';

describe('configDifferences', () => {
  it('finds what is wanted and not there, and nothing else', () => {
    const found = { discard: 'old', max_age: 0, subjects: ['a.>', 'b.>'], extra: 1 };
    expect(configDifferences({ discard: 'old', subjects: ['a.>'], no_ack: false, max_age: 0 }, found)).toEqual([]);
    const differences = configDifferences({ discard: 'new', subjects: ['c.>'], allow_direct: true }, found);
    expect(describeDifferences(differences)).toBe(
      'discard is "old" and has to be "new"; subjects is ["a.>","b.>"] and has to be ["c.>"]; ' +
        'allow_direct is undefined and has to be true',
    );
  });
});
