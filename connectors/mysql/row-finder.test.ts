import { describe, expect, it } from 'vitest';
import type { ObjectRef } from '../../src/domain/operation.ts';
import { type Row, RowFinder } from './row-finder.ts';

const row = (what: Row['what'], s: string, t: string | null, c: string | null, comment: string): Row => {
  return { what, s, t, c, kind: null, comment };
};
const ROWS: readonly Row[] = [
  row('schema', 'shop', null, null, 'of shop'),
  row('table', 'shop', 'orders', null, 'of orders'),
  row('column', 'shop', 'orders', 'Id', 'of Id'),
  row('column', 'shop', 'orders', 'id', 'of id'),
  row('table', 'shop', 'Orders', null, 'of Orders'),
  row('column', 'shop', 'Orders', 'other', 'of other'),
  row('table', 'shop', 'orders', null, 'never'),
];
const ref = (schema: string, table?: string, column?: readonly string[]): ObjectRef => {
  const base = { fqn: 'x', service: 'm', database: 'd', schema };
  if (table === undefined) return { ...base, level: 'schema', entityType: 'databaseSchema' };
  if (column === undefined) return { ...base, level: 'table', entityType: 'table', table };
  return { ...base, level: 'column', entityType: 'table', table, column };
};

describe('RowFinder', () => {
  it('finds rows by exact names, the first one of a name', () => {
    const finder = new RowFinder(ROWS, false);
    expect(finder.of(ref('shop')).schema?.comment).toBe('of shop');
    expect(finder.of(ref('shop', 'orders')).table?.comment).toBe('of orders');
    expect(finder.of(ref('shop', 'Orders')).table?.comment).toBe('of Orders');
    expect(finder.of(ref('shop', 'ORDERS')).table).toBeUndefined();
    expect(finder.of(ref('Shop')).schema).toBeUndefined();
    expect(finder.of(ref('shop', 'orders')).schema).toBeUndefined();
  });

  it('finds names of schemas and tables regardless of case where the server does', () => {
    const finder = new RowFinder(ROWS, true);
    expect(finder.of(ref('SHOP')).schema?.comment).toBe('of shop');
    expect(finder.of(ref('Shop', 'ORDERS')).table?.comment).toBe('of orders');
  });

  it('finds columns by exact names, else regardless of case, and only in their table', () => {
    const rows = new RowFinder(ROWS, false).of(ref('shop', 'orders', ['id']));
    expect(rows.column(['id'])?.comment).toBe('of id');
    expect(rows.column(['Id'])?.comment).toBe('of Id');
    expect(rows.column(['ID'])?.comment).toBe('of Id');
    expect(rows.column(['other'])).toBeUndefined();
    expect(rows.column(['id', 'id'])).toBeUndefined();
    expect(rows.column(undefined)).toBeUndefined();
  });
});
