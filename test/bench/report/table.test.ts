import { describe, expect, it } from 'vitest';
import { CASES } from '../cases.ts';
import { NOT_MEASURED, type SummaryRow } from './row.ts';
import { legend, table } from './table.ts';

const rows: readonly SummaryRow[] = [
  {
    ...NOT_MEASURED,
    case: 'postgres-200-mixed',
    variant: 'backflow',
    changesPerSecond: 12_345.6,
    ratio: 5.128,
    staleFinals: 0,
    stalePoisoned: 3,
    cpuSeconds: 2.34,
    rssMiB: 210,
    statements: 1_000,
  },
  { ...NOT_MEASURED, case: 'light-load', variant: 'bento', p50Ms: 4.04, p99Ms: 55.55, ratio: null, drained: false },
];

const cellsOf = (line: string | undefined): string[] => (line ?? '').split('|').slice(1, -1);

describe('table', () => {
  it('shows a dash for what was not measured, and what is behind a number', () => {
    const [head, , first, second] = table(rows, { aligned: false }).split('\n');
    expect(cellsOf(head).map((cell) => cell.trim())).toContain('stale finals');
    expect(first).toBe('| postgres-200-mixed | backflow | 12,346 | 5.13 | 0 + 3 | 2.3 | 210 | 1,000 | – | – | – | – |');
    expect(second).toBe('| light-load | bento | – (not finished) | – | – | – | – | – | – | 4.0 | 55.5 | – |');
  });

  it('has the same cells when it is aligned', () => {
    const plain = table(rows, { aligned: false }).split('\n');
    const aligned = table(rows, { aligned: true }).split('\n');
    expect(new Set(aligned.map(({ length }) => length)).size).toBe(1);
    for (const index of [0, 2, 3])
      expect(cellsOf(aligned[index]).map((cell) => cell.trim())).toEqual(
        cellsOf(plain[index]).map((cell) => cell.trim()),
      );
  });
});

describe('legend', () => {
  it('tells of each case that was asked for, and of no other', () => {
    const text = legend(CASES.slice(0, 2), 1);
    expect(text).toContain('1 run;');
    expect(text.match(/^- `/gm)).toHaveLength(2);
  });
});
