import { describe, expect, it } from 'vitest';
import { fineClock, latencies, type PublishedChange } from './latency.ts';

const change = (asset: number, text: string, at: number): PublishedChange => ({ asset, text, at });

describe('latencies', () => {
  it('is the time from publish to the commit of the text', () => {
    const published = [change(1, 'a', 100), change(2, 'b', 101)];
    const commits = new Map([
      ['a', 104],
      ['b', 103.5],
    ]);
    expect(latencies(published, commits)).toEqual([4, 2.5]);
  });

  it('counts a change as done with the first newer one of its asset', () => {
    const published = [change(1, 'a', 100), change(1, 'b', 110), change(1, 'c', 120), change(2, 'd', 120)];
    const commits = new Map([
      ['b', 115],
      ['c', 125],
      ['d', 121],
    ]);
    expect(latencies(published, commits)).toEqual([15, 5, 5, 1]);
  });

  it('takes a newer text that was committed before an older one', () => {
    const published = [change(1, 'a', 100), change(1, 'b', 110)];
    const commits = new Map([
      ['a', 140],
      ['b', 115],
    ]);
    expect(latencies(published, commits)).toEqual([15, 5]);
  });

  it('leaves out what was never committed, so that it can be counted', () => {
    expect(latencies([change(1, 'a', 100), change(1, 'b', 110)], new Map([['a', 101]]))).toEqual([1]);
  });
});

describe('fineClock', () => {
  it("goes with the system's clock", () => {
    const clock = fineClock();
    expect(Math.abs(clock() - Date.now())).toBeLessThan(50);
  });
});
