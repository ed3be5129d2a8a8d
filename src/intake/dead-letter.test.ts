import { describe, expect, it } from 'vitest';
import { intakeDeadLetter } from './dead-letter.ts';

const problem = { code: 'not-json', message: 'the body is no JSON' };

describe('intakeDeadLetter', () => {
  it('keeps the whole body where it fits', () => {
    const body = Buffer.from('plain text, ü😀');
    const letter = intakeDeadLetter({ problem, body, at: 5, position: 0, traceId: 'abc' }, 10_000);
    expect(letter).toMatchObject({
      v: 1,
      at: 5,
      body: 'plain text, ü😀',
      traceId: 'abc',
      failure: { code: 'not-json', class: 'invalid' },
    });
    expect(letter).not.toHaveProperty('bodyCut');
  });

  it.each([
    ['plain', Buffer.alloc(50_000, 'x')],
    ['every character an escape of six', Buffer.alloc(50_000, 1)],
    ['not even UTF-8', Buffer.alloc(50_000, 0xff)],
    ['astral', Buffer.from('😀'.repeat(20_000))],
  ])('cuts a large body visibly so that the letter fits: %s', (_what, body) => {
    const letter = intakeDeadLetter({ problem, body, at: 5, position: 0 }, 10_000);
    const size = Buffer.byteLength(JSON.stringify(letter));
    expect(size).toBeLessThanOrEqual(10_000);
    expect(size).toBeGreaterThan(7_000);
    expect(letter.bodyCut).toBe(true);
  });

  it('is the same letter for a second try of the same message, another one otherwise', () => {
    const draft = { problem, body: Buffer.from('x'), at: 5, position: 0 };
    const id = (origin: string | undefined, position: number) =>
      intakeDeadLetter({ ...draft, position, ...(origin === undefined ? {} : { origin }) }, 10_000).id;
    expect(id('events/7', 0)).toBe(id('events/7', 0));
    expect(id('events/7', 0)).not.toBe(id('events/7', 1));
    expect(id('events/7', 0)).not.toBe(id('events/8', 0));
    expect(id(undefined, 0)).not.toBe(id(undefined, 0));
  });
});
