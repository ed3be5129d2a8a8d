import { expect, it } from 'vitest';
import { capabilitiesOf } from './capabilities.ts';

it('capabilities follow the version, not its text', () => {
  const can = (version: string) => {
    const { multiFilter, replicatedCompareAndSet } = capabilitiesOf(version);
    return [multiFilter, replicatedCompareAndSet];
  };
  for (const version of ['2.9.10', '2.9.9', '2.9', '1.12.30', 'dev', '']) expect(can(version)).toEqual([false, false]);
  expect(can('2.9.25')).toEqual([false, true]);
  for (const version of ['2.10.0', '2.15.1', '3.0.0', 'v2.12.0-beta']) expect(can(version)).toEqual([true, true]);
});
