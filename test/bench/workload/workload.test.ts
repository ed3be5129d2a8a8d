import { describe, expect, it } from 'vitest';
import { parseMessage } from '../../../src/domain/parse-change-event.ts';
import { CASES } from '../cases.ts';
import { changeMessage } from './change-message.ts';
import { changesOf, finalsOf, standingTexts, tallyOf, textKey, type Workload } from './workload.ts';

const small: Workload = { services: 1, assets: 20, events: 400, bytes: 2_000 };
const mixed: Workload = { ...small, mixed: true };
const place = { service: 'bench', serviceType: 'Postgres', database: 'shop', schema: 'public' } as const;

describe('changes of a workload', () => {
  it.each(CASES.map(({ name, workload }) => [name, workload] as const))(
    'of %s visit every table equally often',
    (name, workload) => {
      const visits = new Map<string, number>();
      for (const { asset, place: of } of changesOf(workload)) {
        const key = `${of}/${asset}`;
        visits.set(key, (visits.get(key) ?? 0) + 1);
      }
      expect(visits.size).toBe(workload.services * workload.assets);
      expect([name, new Set(visits.values()).size]).toEqual([name, 1]);
    },
  );

  it('are the same when a part is asked for', () => {
    const all = [...changesOf(small)];
    expect([...changesOf(small, 30, 33)]).toEqual(all.slice(30, 33));
  });

  it('are one in ten unchanged and one in a hundred poisoned, when they are mixed', () => {
    const changes = [...changesOf(mixed)];
    const standing = new Set(standingTexts(mixed).values());
    expect(standing.size).toBe(2);
    expect(changes.filter(({ texts }) => standing.has(texts.get('') ?? ''))).toHaveLength(40);
    expect(changes.flatMap(({ poison }) => poison ?? []).toSorted()).toEqual([
      'missing',
      'missing',
      'unreadable',
      'unreadable',
    ]);
  });
});

describe('message of a change', () => {
  it('is an event that the service can read, of the size that was asked for', () => {
    for (const change of changesOf(small, 0, 3)) {
      const { body } = changeMessage(change, place, small.bytes);
      expect(Buffer.byteLength(body)).toBeGreaterThanOrEqual(small.bytes);
      const [read] = parseMessage(body);
      if (read?.kind !== 'change') throw new Error('no change');
      expect(read.event.fqn).toBe(`bench.shop.public.${change.table}`);
      expect(read.event.snapshot?.description).toBe(change.texts.get(''));
    }
  });

  it('carries the descriptions of columns', () => {
    const [change] = changesOf({ ...small, columns: 3 });
    if (change === undefined) throw new Error('no change');
    const [read] = parseMessage(changeMessage(change, place, 100).body);
    if (read?.kind !== 'change') throw new Error('no change');
    expect(read.event.changes?.map(({ name }) => name)).toEqual([
      'columns.c0.description',
      'columns.c1.description',
      'columns.c2.description',
    ]);
    expect(read.event.snapshot?.columns.map(({ description }) => description)).toEqual([...change.texts.values()]);
  });

  it('cannot be read when it is to be unreadable', () => {
    const poisoned = [...changesOf(mixed)].find(({ poison }) => poison === 'unreadable');
    if (poisoned === undefined) throw new Error('no poison');
    expect(parseMessage(changeMessage(poisoned, place, 2_000).body)).toMatchObject([{ kind: 'problem' }]);
  });
});

describe('finals', () => {
  it('are the newest texts, and count all changes that led to them', () => {
    const { texts, changes } = finalsOf(small);
    expect(texts.size).toBe(20);
    for (const { place: of, table, texts: own } of changesOf(small, 380))
      expect(texts.get(textKey(of, table, ''))).toBe(own.get(''));
    expect([...changes.values()]).toEqual(Array.from({ length: 20 }, () => 20));
  });

  it('leave out what cannot be applied, and know whose tables that was', () => {
    const { texts, changes, poisoned } = finalsOf(mixed);
    expect([...texts.keys()].some((key) => key.includes('gone'))).toBe(false);
    expect(poisoned.size).toBe(2);
    expect([...changes.values()].reduce((sum, count) => sum + count)).toBe(396);
  });

  it('are tallied against what stands', () => {
    const finals = finalsOf(mixed);
    const found = new Map(finals.texts);
    expect(tallyOf(finals, found)).toEqual({ stale: 0, stalePoisoned: 0, done: 396 });
    const [poisoned = ''] = finals.poisoned;
    found.set(poisoned, 'older');
    found.delete(textKey(0, 't0', ''));
    expect(tallyOf(finals, found)).toEqual({ stale: 1, stalePoisoned: 1, done: 396 - 18 - 20 });
  });
});
