import { describe, expect, it } from 'vitest';
import { readSoakOptions, WrongOption } from './soak-options.ts';

describe('the options of a soak', () => {
  it('are an hour at 1,000 changes a second, a million assets and a million waiting changes, unless told otherwise', () => {
    expect(readSoakOptions([])).toEqual({
      minutes: 60,
      rate: 1_000,
      assets: 1_000_000,
      backlog: 1_000_000,
      memory: 512,
      json: false,
    });
    expect(readSoakOptions(['--minutes=0.5', '--rate', '300', '--json'])).toMatchObject({
      minutes: 0.5,
      rate: 300,
      json: true,
    });
  });

  it.each([
    ['--minutes=soon', '--minutes has to be a number above 0, not "soon"'],
    ['--rate=0', '--rate has to be a number above 0, not "0"'],
    ['--assets=1.5', '--assets has to be a whole number, not "1.5"'],
    ['--hours=3', "Unknown option '--hours'"],
  ])('%s is refused in words', (argument, message) => {
    expect(() => readSoakOptions([argument])).toThrow(WrongOption);
    expect(() => readSoakOptions([argument])).toThrow(message);
  });
});
