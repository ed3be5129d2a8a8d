import { describe, expect, it } from 'vitest';
import { applicationName, epochOf } from './session-name.ts';

describe('session name', () => {
  it('is readable where the lane is plain', () => {
    expect(applicationName({ lane: 'pg_sales.0', epoch: 42 })).toBe('backflow/pg_sales.0/42');
  });

  it('is printable ASCII of at most 63 bytes for any lane and epoch, and knows its own epoch', () => {
    for (const lane of ['a/b', 'größe 😀', 'x'.repeat(200), '', 'p'.repeat(37), 'p'.repeat(38), 'new\nline']) {
      for (const epoch of [0, 1, Number.MAX_SAFE_INTEGER]) {
        const name = applicationName({ lane, epoch });
        expect(name).toMatch(/^backflow\/[!-.0-~]*\/\d+$/);
        expect(name.length).toBeLessThanOrEqual(63);
        expect(epochOf({ lane, epoch: 5 }, name)).toBe(epoch);
      }
    }
  });

  it('tells lanes apart', () => {
    const names = ['a/b', 'a_b', 'a b', 'ab', `${'x'.repeat(80)}1`, `${'x'.repeat(80)}2`];
    for (const one of names) {
      for (const other of names) {
        const epoch = epochOf({ lane: one, epoch: 1 }, applicationName({ lane: other, epoch: 3 }));
        expect(epoch).toBe(one === other ? 3 : undefined);
      }
    }
    expect(epochOf({ lane: 'a', epoch: 1 }, 'backflow/a/2 or more')).toBeUndefined();
    expect(epochOf({ lane: 'a', epoch: 1 }, 'psql')).toBeUndefined();
  });
});
