import type { Channel } from '../../src/channels/channel.ts';
import { entersChannel, filterInDoubt } from '../../src/channels/choose-channel.ts';
import type { CompiledConfig } from '../../src/config/compiled.ts';
import type { ChangeEvent } from '../../src/domain/change-event.ts';
import { type Aspect, levelOf } from '../../src/domain/entity.ts';
import type { OutcomeItem } from '../../src/domain/outcome.ts';
import { stateBefore } from '../../src/domain/state-before.ts';
import { isDeletion, touchesOf } from '../../src/domain/touches.ts';
import { objectName } from '../asset-coalescer/channel-keys.ts';
import type { HeldChange } from '../lane/held-change.ts';
import { ofWholeChange } from '../outcome-recorder/whole-change.ts';

/**
 * The items of a change that the configuration alone decides, since no channel of the target could ever write what it touches;
 * undefined when it has to go to its asset. `now`: whole epoch milliseconds.
 *
 * To the asset goes, besides what touches a managed aspect: every change of an entity whose descriptions are managed (accepted
 * suggestions show only in the snapshots of later changes), a deletion (it cancels what is pending), and a change that may bring
 * the entity into the filter of a channel (it then touches all aspects of that channel).
 */
export function configurationAlone(
  held: HeldChange,
  target: string,
  config: CompiledConfig,
  now: number,
): readonly OutcomeItem[] | undefined {
  const { event } = held.received;
  const levels =
    event.entityType === 'table'
      ? [levelOf('table', false), levelOf('table', true)]
      : [levelOf(event.entityType, false)];
  const channels = config
    .channelsOf(target)
    .filter((channel) => channel.update.size > 0 && levels.some((level) => channel.levels.has(level)));
  const manages = (aspect: Aspect): boolean => channels.some((channel) => channel.update.has(aspect));
  if (manages('description')) return undefined;
  const touches = touchesOf(event);
  if (touches.some((touch) => manages(touch.field.aspect))) return undefined;
  if (channels.length > 0 && (isDeletion(event) || mayEnter(event, channels))) return undefined;
  const identity = { ...ofWholeChange(held, now), status: 'skipped' as const };
  const gone = config.targets.has(target) ? undefined : `target removed: ${target}`;
  if (touches.length === 0)
    return [{ ...identity, object: '', reason: gone ?? 'the change touches nothing that is written back' }];
  return touches.map(({ field }) => ({
    ...identity,
    aspect: field.aspect,
    object: objectName(field),
    reason: gone ?? `no channel of ${target} writes ${field.aspect} of a ${event.entityType}`,
  }));
}

/** On the safe side: false only where the event itself shows that it brings the entity into no channel. */
function mayEnter(event: ChangeEvent, channels: readonly Channel[]): boolean {
  const { snapshot } = event;
  if (snapshot === undefined) return false;
  const before = stateBefore(event);
  return channels.some(
    (channel) => filterInDoubt(channel.filter, snapshot) || entersChannel(channel, snapshot, before),
  );
}
