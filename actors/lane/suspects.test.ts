import { describe, expect, it } from 'vitest';
import { afterTakeOver, isGivenUp, isSuspect, type SuspectNotes, without } from './suspects.ts';

describe('suspects', () => {
  it('counts a death for what was running when its owner went, and only for that', () => {
    let notes: SuspectNotes = { deaths: { 7: 1 } };
    expect(afterTakeOver(notes)).toEqual({ deaths: { 7: 1 } });
    for (let owner = 1; owner <= 3; owner += 1) {
      expect(isGivenUp(notes, 9)).toBe(false);
      notes = afterTakeOver({ ...notes, running: 9 });
    }
    expect(notes).toEqual({ deaths: { 7: 1, 9: 3 } });
    expect([isGivenUp(notes, 9), isGivenUp(notes, 7)]).toEqual([true, false]);
    expect(without({ ...notes, running: 9 }, 9)).toEqual({ deaths: { 7: 1 } });
  });

  it('suspects what was delivered very often, and what an owner died on however often it was delivered', () => {
    const notes = { deaths: { 7: 1 } };
    expect([isSuspect(notes, 8, 19, 20), isSuspect(notes, 8, 20, 20), isSuspect(notes, 7, 1, 20)]).toEqual([
      false,
      true,
      true,
    ]);
  });
});
