import { describe, expect, it } from 'vitest';
import { CUT_MARK, fitText, sizeOf } from './text-limit.ts';

describe('fitText', () => {
  it('leaves what fits alone', () => {
    expect(fitText('é'.repeat(8), { max: 16, unit: 'bytes' }, 'cut')).toEqual({
      ok: true,
      value: { text: 'é'.repeat(8) },
    });
  });

  it('cuts between characters, within the limit, and says so', () => {
    for (const unit of ['bytes', 'characters', 'utf16'] as const) {
      for (let length = 30; length < 40; length += 1) {
        const fitted = fitText(`a${'😀'.repeat(length)}`, { max: 29, unit }, 'cut');
        expect(fitted.ok).toBe(true);
        if (!fitted.ok) continue;
        expect(fitted.value.text.isWellFormed()).toBe(true);
        expect(fitted.value.text.endsWith(CUT_MARK)).toBe(true);
        expect(sizeOf(fitted.value.text, unit)).toBeLessThanOrEqual(29);
        expect(sizeOf(fitted.value.text, unit)).toBeGreaterThan(29 - 4);
        expect(fitted.value.note).toContain('29');
      }
    }
  });

  it('refuses when asked to', () => {
    const refused = fitText('x'.repeat(11), { max: 10, unit: 'characters' }, 'refuse');
    expect(refused).toEqual({ ok: false, error: 'The text has 11 characters; the limit is 10. Shorten it.' });
  });
});
