import { describe, expect, it } from 'vitest';
import { SparseMap } from '../../src/domain/sparse-map.ts';
import { type ParkedAsset, ParkingLot } from './parking-lot.ts';

function parked(due: number, more: Partial<ParkedAsset> = {}): ParkedAsset {
  return { due, changes: 2, attempts: new SparseMap(), catalogueAttempts: 0, holds: new SparseMap(), ...more };
}

describe('ParkingLot', () => {
  it('names what is due, the longest due first, and knows when the next one is', () => {
    const lot = new ParkingLot({ messages: 10, bytes: 1_000 });
    lot.set('a', parked(300));
    lot.set('b', parked(100));
    lot.set('c', parked(200));
    expect([lot.nextDue, lot.dueKeys(99), lot.dueKeys(250)]).toEqual([100, [], ['b', 'c']]);
    lot.delete('b');
    lot.delete('c');
    expect(lot.dueKeys(250)).toEqual([]);
    expect([lot.nextDue, lot.size, lot.changes]).toEqual([300, 1, 2]);
    lot.allDue(50);
    expect([lot.nextDue, lot.dueKeys(50)]).toEqual([50, ['a']]);
  });

  it('counts an asset once however often it is set', () => {
    const lot = new ParkingLot({ messages: 10, bytes: 1_000 });
    lot.set('a', parked(100, { changes: 3, oldestAt: 7 }));
    lot.set('a', parked(200, { changes: 5, oldestAt: 7 }));
    expect([lot.size, lot.changes, lot.oldestAt]).toEqual([1, 5, 7]);
    lot.delete('a');
    expect([lot.size, lot.changes, lot.oldestAt]).toEqual([0, 0, undefined]);
  });

  it('has room for half of the credits, in messages and in bytes, and for one asset in any case', () => {
    const lot = new ParkingLot({ messages: 10, bytes: 1_000 });
    expect(lot.half).toEqual({ messages: 5, bytes: 500 });
    expect(lot.roomFor({ messages: 9, bytes: 9_000 })).toBe(true);
    lot.hold('a', { messages: 3, bytes: 100 });
    expect(lot.roomFor({ messages: 2, bytes: 400 })).toBe(true);
    expect(lot.roomFor({ messages: 3, bytes: 1 })).toBe(false);
    expect(lot.roomFor({ messages: 1, bytes: 401 })).toBe(false);
    lot.release('a');
    expect(lot.roomFor({ messages: 3, bytes: 500 })).toBe(true);
  });
});
