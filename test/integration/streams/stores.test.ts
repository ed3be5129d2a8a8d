import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createConfigStore } from '../../../streams/nats/config-store.ts';
import { createControlStore } from '../../../streams/nats/control-store.ts';
import { type Fixture, startFixture, until } from './fixture.ts';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(() => fixture.stop());

describe('configuration', () => {
  it('keeps revisions for ever, puts one in force by compare-and-set, and tells every replica', async () => {
    const here = createConfigStore(fixture.link);
    // So long a time between readings that only the server's watch can tell.
    const there = createConfigStore(await fixture.connect(), { rereadMs: 3_600_000 });
    const seen: number[] = [];
    const watching = there.watch().subscribe((pointer) => seen.push(pointer.revision));
    expect(await here.pointer()).toBeUndefined();
    expect(await here.getRevision(1)).toBeUndefined();

    // Two replicas make revisions at once: each has a number of its own.
    const numbers = await Promise.all([here, there, here, there].map((store, i) => store.putRevision(`{"n":${i}}`)));
    expect([...numbers].sort()).toEqual([1, 2, 3, 4]);
    for (const [i, revision] of numbers.entries()) expect(await here.getRevision(revision)).toBe(`{"n":${i}}`);

    const first = await here.swapPointer(undefined, 2, 'by a');
    expect(first).toMatchObject({ revision: 2, note: 'by a' });
    await until(() => seen.includes(2), 'the other replica sees it');
    await expect(there.swapPointer(undefined, 3)).rejects.toMatchObject({ code: 'conflict' });
    const second = await there.swapPointer(first, 4);
    await expect(here.swapPointer(first, 3)).rejects.toMatchObject({ code: 'conflict' });
    await until(() => seen.includes(4), 'the other replica sees the next');
    expect(await here.pointer()).toEqual(second);
    expect(seen).toEqual([2, 4]);
    watching.unsubscribe();
  });

  it('goes on telling after the server was restarted, which ends the watch', async () => {
    const store = createConfigStore(fixture.link, { rereadMs: 300 });
    const seen: number[] = [];
    const watching = store.watch().subscribe((pointer) => seen.push(pointer.revision));
    const before = await store.pointer();
    await until(() => seen.length === 1, 'the present one is told');
    await fixture.server.restart();
    await until(() => fixture.link.connected(), 'the link is back');
    const revision = await store.putRevision('{}');
    await store.swapPointer(before, revision);
    await until(() => seen.at(-1) === revision, 'the new one is told');
    watching.unsubscribe();
  });
});

describe('control', () => {
  it('pauses and resumes targets of any name, for all replicas', async () => {
    const here = createControlStore(fixture.link);
    const there = createControlStore(await fixture.connect(), { rereadMs: 3_600_000 });
    const seen: string[][] = [];
    const watching = there.watchPaused().subscribe((paused) => seen.push([...paused.keys()].sort()));
    await until(() => seen.length === 1, 'the present state is told');
    expect(seen).toEqual([[]]);
    const names = ['pg_sales', 'my service.*>', 'ünï "x"', 'a\nb'].sort();
    for (const name of names) await here.pause(name, JSON.stringify({ by: name }));
    await until(() => seen.at(-1)?.length === names.length, 'all are told');
    expect(seen.at(-1)).toEqual(names);
    expect((await there.paused()).get('ünï "x"')).toBe('{"by":"ünï \\"x\\""}');
    await here.resume('a\nb');
    await until(() => seen.at(-1)?.length === names.length - 1, 'the resume is told');
    expect([...(await here.paused()).keys()]).not.toContain('a\nb');
    await here.resume('never paused');
    watching.unsubscribe();
  });

  it('misses no target whose note is written again and again while it reads', async () => {
    const control = createControlStore(fixture.link);
    const names = Array.from({ length: 20 }, (_, i) => `busy ${i}`);
    for (const name of names) await control.pause(name, '0');
    let writing = true;
    const writer = (async () => {
      for (let turn = 1; writing; turn += 1) for (const name of names) await control.pause(name, String(turn));
    })();
    for (let read = 0; read < 10; read += 1) {
      const paused = await control.paused();
      expect(names.filter((name) => !paused.has(name))).toEqual([]);
    }
    writing = false;
    await writer;
    for (const name of names) await control.resume(name);
  });
});
