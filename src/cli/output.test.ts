import { describe, expect, it } from 'vitest';
import { clip, formatDuration, formatTable, formatTime, printable } from './output.ts';

describe('output for people', () => {
  it('aligns columns and marks empty cells', () => {
    expect(
      formatTable(
        ['A', 'LONG'],
        [
          ['xyz', undefined],
          ['', 5],
        ],
      ),
    ).toBe('A    LONG\nxyz  –\n–    5');
  });

  it('lets no text of the catalogue command the terminal or break a row', () => {
    const hostile = '\u001b[31mred\u0007\nnext\u009b2J\u2028';
    expect(printable(hostile)).toBe('\\u001b[31mred\\u0007⏎next\\u009b2J\\u2028');
    expect(formatTable(['A'], [[hostile]]).split('\n')).toHaveLength(2);
  });

  it('cuts visibly, and never through a surrogate pair', () => {
    expect(clip('abcdef', 6)).toBe('abcdef');
    expect(clip('abcdefg', 6)).toBe('abcde…');
    expect(clip(`abcd${'😀'.repeat(3)}`, 6).isWellFormed()).toBe(true);
  });

  it('shows times and durations in words', () => {
    expect(formatTime(0)).toBe('1970-01-01 00:00:00');
    expect(formatTime(Number.NaN)).toBe('');
    expect([12.4, 1_500, 119_000, 120_000, 8 * 3_600_000, 3 * 86_400_000].map(formatDuration)).toEqual([
      '12 ms',
      '1 s',
      '119 s',
      '2 min',
      '8 h',
      '3 d',
    ]);
  });
});
