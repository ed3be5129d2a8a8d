import { describe, expect, it } from 'vitest';
import { epochOf, programName } from './session-name.ts';

describe('names of sessions', () => {
  it('carry lane and epoch, and are told from those of other lanes', () => {
    expect(programName({ lane: 'shop.0', epoch: 17 })).toBe('backflow/shop.0/17');
    expect(epochOf({ lane: 'shop.0', epoch: 18 }, 'backflow/shop.0/17')).toBe(17);
    expect(epochOf({ lane: 'shop.1', epoch: 18 }, 'backflow/shop.0/17')).toBeUndefined();
    expect(epochOf({ lane: 'shop.0', epoch: 18 }, 'backflow/shop.0/x')).toBeUndefined();
  });

  it.each(['a lane (with) = signs', 'x'.repeat(60), 'größe/0', ''])('fit and stay distinct: %j', (lane) => {
    const name = programName({ lane, epoch: Number.MAX_SAFE_INTEGER });
    expect(name.length).toBeLessThanOrEqual(48);
    // What the driver lets through for a program's name.
    expect(name).toMatch(/^[A-Za-z0-9<>/\\,.:;'"\-_$+*#&!%?@]+$/);
    expect(epochOf({ lane, epoch: 1 }, name)).toBe(Number.MAX_SAFE_INTEGER);
    expect(epochOf({ lane: `${lane}!`, epoch: 1 }, name)).toBeUndefined();
  });
});
