import { describe, expect, it } from 'vitest';
import { sampleChannel, sampleConfig, sampleEntry, sampleHeld, T0, TARGET } from '../../test/support/lane-samples.ts';
import { takeWork } from '../asset-coalescer/take-work.ts';
import type { FieldResult } from '../lane/asset-work.ts';
import { assetOutcome } from './asset-outcome.ts';

const config = sampleConfig([sampleChannel('docs', { priority: 1 }), sampleChannel('more')]);
const work = () =>
  takeWork(
    sampleEntry([sampleHeld(1, { time: T0 + 1 }, config), sampleHeld(2, { time: T0 + 2 }, config)], config),
    TARGET,
    config,
  );
const results = (status: FieldResult['status'], more: Partial<FieldResult> = {}) =>
  new Map([['description', { key: 'description', status, statements: ['S'], notes: [], attempts: 2, ...more }]]);

describe('assetOutcome', () => {
  it('gives every key of every touch one item', () => {
    const outcome = assetOutcome(
      work(),
      results('applied', { before: 'old', after: 'new', verified: 'commit' }),
      T0 + 9,
    );
    expect(outcome.items).toMatchObject([
      {
        sequence: 2,
        channel: 'docs',
        status: 'applied',
        user: 'ana',
        before: 'old',
        after: 'new',
        verified: 'commit',
        attempts: 2,
        statements: ['S'],
        timings: { eventAt: T0 + 2, receivedAt: T0, pulledAt: T0 + 100, settledAt: T0 + 9 },
      },
      { sequence: 2, channel: 'more', status: 'skipped', reason: 'shadowed by channel docs' },
    ]);
    expect(outcome.superseded).toMatchObject([
      { sequence: 1, channel: 'docs', by: 'e2' },
      { sequence: 1, channel: 'more', by: 'e2' },
    ]);
    expect(outcome.closed.map(({ sequence }) => sequence)).toEqual([2, 1]);
    expect(outcome.settlements).toMatchObject([{ key: 'description', rank: { time: T0 + 2 } }]);
    expect(outcome.settlements[0]).toHaveProperty('written');
  });

  it('a field that is tried again closes nothing', () => {
    const outcome = assetOutcome(work(), results('retry'), T0);
    expect(outcome).toMatchObject({ items: [], superseded: [], closed: [], settlements: [], failed: [] });
    expect(outcome.retry).toHaveLength(1);
  });

  it('a failure goes to the dead letters once, with the touch that it comes from, and notes nothing as written', () => {
    const failure = { class: 'permission', scope: 'object', code: 'denied', message: 'must be owner' } as const;
    const outcome = assetOutcome(work(), results('failed', { failure, reason: failure.message }), T0);
    expect(outcome.failed).toMatchObject([{ item: { sequence: 2, channel: 'docs' }, touch: { sequence: 2 } }]);
    expect(outcome.items[0]?.failure).toEqual({ class: 'permission', code: 'denied', message: 'must be owner' });
    expect(outcome.settlements[0]).not.toHaveProperty('written');
  });
});
