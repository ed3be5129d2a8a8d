import { describe, expect, it } from 'vitest';
import { createCredits } from './credits.ts';

describe('credits', () => {
  it('admit within both limits only', () => {
    const credits = createCredits({ messages: 3, bytes: 100 });
    expect(credits.admits(100)).toBe(true);
    credits.take(60);
    expect([credits.admits(40), credits.admits(41)]).toEqual([true, false]);
    credits.take(20);
    credits.take(20);
    expect(credits.admits(0)).toBe(false);
    expect([credits.free(), credits.inUse()]).toEqual([
      { messages: 0, bytes: 0 },
      { messages: 3, bytes: 100 },
    ]);
    credits.give(60);
    expect(credits.free()).toEqual({ messages: 1, bytes: 60 });
    expect(credits.admits(60)).toBe(true);
  });

  it('admit a message above all bytes alone', () => {
    const credits = createCredits({ messages: 3, bytes: 100 });
    expect(credits.admits(500)).toBe(true);
    credits.take(500);
    expect(credits.free()).toEqual({ messages: 2, bytes: 0 });
    expect(credits.admits(1)).toBe(false);
    credits.give(500);
    credits.take(1);
    expect(credits.admits(500)).toBe(false);
  });
});
