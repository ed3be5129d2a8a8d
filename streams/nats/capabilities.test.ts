import { expect, it } from 'vitest';
import { capabilitiesOf } from './capabilities.ts';

it('capabilities follow the version, not its text', () => {
  const multiFilter = (version: string) => capabilitiesOf(version).multiFilter;
  expect(['2.9.10', '2.9.25', '1.12.0', 'dev', ''].map(multiFilter)).toEqual(Array(5).fill(false));
  expect(['2.10.0', '2.15.1', '3.0.0', 'v2.12.0-beta'].map(multiFilter)).toEqual(Array(4).fill(true));
});
