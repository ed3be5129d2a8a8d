import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { loadAfter, NEW_SPACE_BYTES } from './small-heap.ts';

/** Keeps what it makes for a while, as a lane does, and prints how large the space for new objects became. */
const CHURN = `
const { keepHeapSmall } = await import(process.argv[1]);
const { getHeapSpaceStatistics } = await import('node:v8');
keepHeapSmall();
let most = 0;
for (let turn = 0; turn < 300; turn += 1) {
  const kept = Array.from({ length: 20_000 }, (_, i) => ({ i, list: [i] }));
  await new Promise(setImmediate);
  const { space_size: size } = getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space');
  most = Math.max(most, size);
  if (kept.length === 0) throw new Error('optimised away');
}
console.log(most);
`;

describe('keepHeapSmall', () => {
  it('lets the space for new objects grow, and not beyond what it is given', async () => {
    const module = new URL('./small-heap.ts', import.meta.url).href;
    const run = promisify(execFile);
    const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', CHURN, module]);
    expect(Number(stdout)).toBeGreaterThan(NEW_SPACE_BYTES / 2);
    // It doubles each time, and a look comes after the collection that let it.
    expect(Number(stdout)).toBeLessThanOrEqual(4 * NEW_SPACE_BYTES);
  });
});

describe('loadAfter', () => {
  it('is busy while whole collections follow one another, and calm again when they are rare', () => {
    expect(loadAfter('calm', Number.POSITIVE_INFINITY)).toBe('calm');
    expect(loadAfter('calm', 5_000)).toBe('calm');
    expect(loadAfter('calm', 1_001)).toBe('calm');
    expect(loadAfter('calm', 1_000)).toBe('busy');
    expect(loadAfter('busy', 5_000)).toBe('busy');
    expect(loadAfter('busy', 10_000)).toBe('calm');
  });
});
