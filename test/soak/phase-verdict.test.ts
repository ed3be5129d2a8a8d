import { describe, expect, it } from 'vitest';
import { type PhaseFindings, problemsOf, type Sample, trendsOf } from './phase-verdict.ts';

const MIB = 1024 * 1024;
const ALLOWED = 512 * MIB;
const CLEAN: PhaseFindings = { lost: 0, stale: 0, doubled: 0, wrong: 0, unread: 0 };

/** Samples in which one measure runs as given, and all others stand still. */
function samples(measure: (index: number) => Partial<Sample>, count = 90): Sample[] {
  return Array.from({ length: count }, (_, index) => ({
    heap: 60 * MIB,
    rss: 200 * MIB,
    fds: 27,
    handles: 19,
    lag: 0,
    ...measure(index),
  }));
}

describe('the verdict on a phase of a soak', () => {
  it('has nothing to say about a service that stands still, whatever it did while it warmed up', () => {
    const warm = samples((i) => ({ heap: (i < 30 ? 20 + i : 60) * MIB, rss: (i < 30 ? 100 : 200) * MIB }));
    expect(problemsOf(warm, CLEAN, ALLOWED)).toEqual([]);
  });

  it('is not misled by a few outliers', () => {
    const spiky = samples((i) => (i % 10 === 9 ? { heap: 300 * MIB, rss: 400 * MIB, fds: 60 } : {}));
    expect(problemsOf(spiky, CLEAN, ALLOWED)).toEqual([]);
  });

  it('finds a leak in the heap, in resident memory, in descriptors and in handles', () => {
    expect(
      problemsOf(
        samples((i) => ({ heap: (60 + i) * MIB })),
        CLEAN,
        ALLOWED,
      ),
    ).toEqual(['heap grows: 105 → 135 MiB']);
    expect(
      problemsOf(
        samples((i) => ({ rss: (100 + 2 * i) * MIB })),
        CLEAN,
        ALLOWED,
      ),
    ).toEqual(['resident memory grows: 190 → 250 MiB']);
    expect(
      problemsOf(
        samples((i) => ({ fds: 27 + Math.floor(i / 5) })),
        CLEAN,
        ALLOWED,
      ),
    ).toEqual(['file descriptors grow: 36 → 42']);
    expect(
      problemsOf(
        samples((i) => ({ handles: 19 + Math.floor(i / 5) })),
        CLEAN,
        ALLOWED,
      ),
    ).toEqual(['handles grow: 28 → 34']);
  });

  it('holds one sample above the allowed memory against the service, also in a phase too short for a trend', () => {
    const peak = samples((i) => (i === 3 ? { rss: 600 * MIB } : {}), 5);
    expect(problemsOf(peak, CLEAN, ALLOWED)).toEqual(['600 MiB resident, above the 512 allowed']);
  });

  it('names what was lost, stale, doubled, wrong, or could not be counted', () => {
    const found: PhaseFindings = { lost: 1, stale: 2, doubled: 3, wrong: 4, unread: 5 };
    expect(
      problemsOf(
        samples(() => ({})),
        found,
        ALLOWED,
      ),
    ).toEqual(['1 lost', '2 stale', '3 doubled', '4 wrong', '5 unread']);
  });

  it('compares the second third with the last one', () => {
    expect(trendsOf(samples((i) => ({ lag: i }), 9)).lag).toEqual({ before: 4, after: 7, peak: 8 });
  });
});
