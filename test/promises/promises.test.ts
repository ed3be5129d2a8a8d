import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const PROMISES = Array.from({ length: 10 }, (_, i) => `P${i + 1}`);

/** The numbers that a title begins with: `P7: …`, `P1 P2 …`, `P5 and P6 on …`. */
const TITLE = /\(\s*(['"`])(P\d+(?:(?:,| and)? P\d+)*)[: ]/g;

/** Test files of the normal run with the promises that their titles carry. */
function promisesByFile(): ReadonlyMap<string, ReadonlySet<string>> {
  const folders = ['src', 'actors', 'streams', 'connectors', 'test'];
  const files = folders.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name.endsWith('.test.ts'))
      .map((entry) => relative(ROOT, join(entry.parentPath, entry.name))),
  );
  return new Map(
    files
      .filter((file) => !file.startsWith('test/peers/'))
      .map((file) => {
        const titles = [...readFileSync(join(ROOT, file), 'utf8').matchAll(TITLE)];
        return [file, new Set(titles.flatMap(([, , numbers = '']) => numbers.match(/P\d+/g) ?? []))];
      }),
  );
}

/** Promise → test files that its row in the README names. */
function filesByPromise(): ReadonlyMap<string, readonly string[]> {
  const rows = readFileSync(join(ROOT, 'README.md'), 'utf8').matchAll(/^\| \*\*(P\d+)\*\* (.*)$/gm);
  return new Map(
    [...rows].map(([, promise = '', row = '']) => [
      promise,
      [...row.matchAll(/\]\(([^)\s]+\.test\.ts)\)/g)].map(([, file = '']) => file),
    ]),
  );
}

describe('the promises', () => {
  const carried = promisesByFile();

  it.each(PROMISES)('%s is carried by a test of the normal run', (promise) => {
    expect([...carried].filter(([, promises]) => promises.has(promise)).length).toBeGreaterThan(0);
  });

  it.each(PROMISES)('%s: the README names test files, and each of them carries it', (promise) => {
    const files = filesByPromise().get(promise) ?? [];
    expect(files.length).toBeGreaterThan(0);
    expect(files.filter((file) => carried.get(file)?.has(promise) !== true)).toEqual([]);
  });

  it('are ten; no title speaks of another one', () => {
    expect([...filesByPromise().keys()]).toEqual(PROMISES);
    const others = [...carried].flatMap(([file, promises]) =>
      [...promises].filter((promise) => !PROMISES.includes(promise)).map((promise) => `${promise} in ${file}`),
    );
    expect(others).toEqual([]);
  });
});
