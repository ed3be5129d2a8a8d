import { describe, expect, it } from 'vitest';
import { NOT_MEASURED, type Row, summarise } from './row.ts';

const row = (more: Partial<Row> & Pick<Row, 'variant'>): Row => ({ ...NOT_MEASURED, case: 'postgres-200', ...more });

describe('summarise', () => {
  it('keeps the middle run whole, with the most stale finals of any', () => {
    const [summary, ...others] = summarise([
      row({ variant: 'bento', changesPerSecond: 900, staleFinals: 0, cpuSeconds: 9 }),
      row({ variant: 'bento', changesPerSecond: 300, staleFinals: 47, cpuSeconds: 3 }),
      row({ variant: 'bento', changesPerSecond: 500, staleFinals: 21, cpuSeconds: 5 }),
    ]);
    expect(others).toEqual([]);
    expect(summary).toMatchObject({ changesPerSecond: 500, cpuSeconds: 5, staleFinals: 47, stalePoisoned: null });
  });

  it('says that a run was not finished when one was not', () => {
    const [summary] = summarise([
      row({ variant: 'bento', changesPerSecond: 3 }),
      row({ variant: 'bento', changesPerSecond: 2, drained: false }),
      row({ variant: 'bento', changesPerSecond: 1 }),
    ]);
    expect(summary?.drained).toBe(false);
  });

  it('relates medians to the control loop of the same case', () => {
    const summary = summarise([
      row({ variant: 'control-loop', changesPerSecond: 200 }),
      row({ variant: 'backflow', changesPerSecond: 1_500 }),
      row({ case: 'targets-12-1', variant: 'backflow', changesPerSecond: 800 }),
    ]);
    expect(summary.map(({ ratio }) => ratio)).toEqual([1, 7.5, null]);
  });

  it('relates nothing where the pace is given, and takes the middle by latency', () => {
    const summary = summarise([
      row({ variant: 'control-loop', changesPerSecond: 1_000, p50Ms: 2, p99Ms: 30 }),
      row({ variant: 'control-loop', changesPerSecond: 1_002, p50Ms: 3, p99Ms: 20 }),
      row({ variant: 'control-loop', changesPerSecond: 1_001, p50Ms: 4, p99Ms: 10 }),
    ]);
    expect(summary).toMatchObject([{ p50Ms: 3, p99Ms: 20, ratio: null }]);
  });
});
