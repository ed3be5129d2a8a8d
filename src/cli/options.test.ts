import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { limitOption, readOptions, required, wordOption } from './options.ts';

describe('options', () => {
  const schema = z.object({ limit: limitOption(20), dryRun: wordOption(['fast', 'slow']) });

  it('gives values and defaults', () => {
    expect(readOptions(schema, {})).toEqual({ limit: 20 });
    expect(readOptions(schema, { limit: '7', dryRun: 'slow' })).toEqual({ limit: 7, dryRun: 'slow' });
  });

  it('names the option as it was typed, and the word that was meant', () => {
    expect(() => readOptions(schema, { limit: '0' })).toThrow('--limit: must be a whole number');
    expect(() => readOptions(schema, { dryRun: 'slo' })).toThrow('--dry-run: there is no "slo"; did you mean "slow"?');
    expect(() => required(' ', '-f', 'name a file')).toThrow('-f is missing: name a file');
  });
});
