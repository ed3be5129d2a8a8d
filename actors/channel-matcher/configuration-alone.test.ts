import { describe, expect, it } from 'vitest';
import type { Channel } from '../../src/channels/channel.ts';
import {
  type SampleEvent,
  sampleChannel,
  sampleConfig,
  sampleFilter,
  sampleHeld,
  T0,
  TARGET,
} from '../../test/support/lane-samples.ts';
import { configurationAlone } from './configuration-alone.ts';

function reasons(event: SampleEvent, ...channels: Channel[]) {
  const config = sampleConfig(channels);
  return configurationAlone(sampleHeld(1, event, config), TARGET, config, T0)?.map(({ aspect, object, reason }) => [
    aspect,
    object,
    reason,
  ]);
}
const owners = sampleChannel('owners', { update: new Set(['owners']) });

describe('configurationAlone', () => {
  it('decides what no channel of the target manages, one item for each field', () => {
    const changes = [
      ['description', 'a', 'b'],
      ['columns.amount.description', 'c', 'd'],
    ] as const;
    expect(reasons({ changes }, owners)).toEqual([
      ['description', '', `no channel of ${TARGET} writes description of a table`],
      ['description', 'amount', `no channel of ${TARGET} writes description of a table`],
    ]);
    expect(reasons({ entityType: 'database' }, sampleChannel('tables'))).toEqual([
      ['description', '', `no channel of ${TARGET} writes description of a database`],
    ]);
    expect(reasons({ changes: [['votes', '', 'up']] }, owners)).toEqual([
      [undefined, '', 'the change touches nothing that is written back'],
    ]);
  });

  it('leaves to the asset what some channel manages, and every change where descriptions are managed', () => {
    expect(reasons({ changes: [['owners', '[]', '[]']] }, owners)).toBeUndefined();
    expect(reasons({ changes: [['votes', '', 'up']] }, sampleChannel('docs'))).toBeUndefined();
  });

  it('leaves a deletion to the asset: it cancels what is pending', () => {
    expect(reasons({ eventType: 'entityDeleted', changes: [] }, owners)).toBeUndefined();
  });

  it('leaves to the asset what may bring the entity into a channel', () => {
    const named = sampleChannel('named', {
      update: new Set(['owners']),
      filter: sampleFilter(({ displayName }) => displayName === 'now'),
    });
    const event = { changes: [['displayName', 'before', 'now']] as const, entity: { displayName: 'now' } };
    expect(reasons(event, named)).toBeUndefined();
    expect(reasons({ ...event, entity: { displayName: 'other' } }, named)).toHaveLength(1);
    const tagged = sampleChannel('tagged', { update: new Set(['owners']), filter: sampleFilter(() => false, true) });
    expect(reasons({ entity: { tags: undefined } }, tagged)).toBeUndefined();
  });

  it('says that the target was removed', () => {
    const config = sampleConfig([], { targets: new Map() });
    const items = configurationAlone(sampleHeld(1, {}, config), TARGET, config, T0);
    expect(items).toMatchObject([{ status: 'skipped', reason: `target removed: ${TARGET}` }]);
  });
});
