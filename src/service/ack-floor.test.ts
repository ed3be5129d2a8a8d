import { describe, expect, it } from 'vitest';
import { nextQuestionAt } from './ack-floor.ts';

describe('nextQuestionAt', () => {
  it.each([
    ['a quick answer', 1, 1_250],
    ['one that cost the server 40 ms', 40, 1_440],
    ['one of a stream with a million subjects', 350, 4_850],
    ['a server that did not answer', 5_000, 16_000],
  ])('leaves the stream in peace after %s', (_, took, next) => {
    expect(nextQuestionAt(1_000, 1_000 + took)).toBe(next);
  });
});
