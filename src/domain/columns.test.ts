import { describe, expect, it } from 'vitest';
import { columnAt, columnCandidates, columnsByLastSegment } from './columns.ts';
import type { Column } from './snapshot.ts';

function column(name: string, children: readonly Column[] = [], parent: readonly string[] = []): Column {
  const path = [...parent, name];
  return {
    name,
    path,
    dataType: 'INT',
    tags: [],
    children: children.map((child) => column(child.name, child.children, path)),
  };
}

const table = [
  column('order_id'),
  column('unit.price'),
  column('unit', [column('price')]),
  column('items', [column('sku'), column('price')]),
  column('address', [column('geo', [column('lat')]), column('zip.code')]),
  column('MixedCase'),
  column("say 'hi'.now"),
];

/** So many columns that they are found by an index. */
const wide = [...table, ...Array.from({ length: 60 }, (_, i) => column(`filler${i}`))];

const found = (path: string, columns = table): readonly string[] =>
  columnCandidates(path, columns).map((one) => JSON.stringify(one.path));

describe('columnCandidates', () => {
  it.each([
    ['2.x: full path, dotted names quoted', '"unit.price"', ['["unit.price"]']],
    ['2.x: nested and dotted', 'address."zip.code"', ['["address","zip.code"]']],
    ['1.12: full path, unquoted', 'address.geo.lat', ['["address","geo","lat"]']],
    ['1.12: unquoted and ambiguous', 'unit.price', ['["unit.price"]', '["unit","price"]']],
    ['1.12: nested and dotted', 'address.zip.code', ['["address","zip.code"]']],
    ['1.6: local name', 'lat', ['["address","geo","lat"]']],
    ['1.6: local name of several', 'price', ['["unit","price"]', '["items","price"]']],
    ['1.6: local name, quoted when dotted', '"zip.code"', ['["address","zip.code"]']],
    ['quotes and dots in a name', "say 'hi'.now", ['["say \'hi\'.now"]']],
    ['another case only where nothing fits exactly', 'mixedcase', ['["MixedCase"]']],
    ['nothing', 'nowhere.at.all', []],
  ])('%s', (_, path, paths) => {
    expect(found(path)).toEqual(paths);
    expect(found(path, wide)).toEqual(paths);
  });

  it('finds what the last segment alone would miss or take for another', () => {
    const naive = (path: string) => columnsByLastSegment(path, table).map((one) => one.path);
    expect(naive('"unit.price"')).toEqual([]);
    expect(naive('unit.price')).toEqual([
      ['unit', 'price'],
      ['items', 'price'],
    ]);
  });
});

describe('columnAt', () => {
  it.each([
    ['few', table],
    ['many', wide],
  ])('finds a column of %s by its path, and of two with one name the first', (_, columns) => {
    const twice = [...columns, column('unit', [column('other')])];
    expect(columnAt(twice, ['address', 'geo', 'lat'])?.path).toEqual(['address', 'geo', 'lat']);
    expect(columnAt(twice, ['unit', 'price'])?.path).toEqual(['unit', 'price']);
    expect(columnAt(twice, ['unit', 'other'])).toBeUndefined();
    expect(columnAt(twice, ['order_id', 'x'])).toBeUndefined();
    expect(columnAt(twice, [])).toBeUndefined();
  });
});
