import type { Channel } from '../../src/channels/channel.ts';
import { manages } from '../../src/channels/choose-channel.ts';
import type { CompiledConfig } from '../../src/config/compiled.ts';
import type { Asset } from '../../src/domain/asset.ts';
import { type Field, levelOf } from '../../src/domain/entity.ts';
import { formatFqn } from '../../src/domain/fqn.ts';
import type { Touch } from '../../src/domain/ledger.ts';
import type { HeldChange } from '../lane/held-change.ts';

/** The channels of the target whose switches and levels include the field, highest priority first. */
export function managingChannels(
  target: string,
  asset: Asset,
  field: Field,
  config: CompiledConfig,
): readonly Channel[] {
  const level = levelOf(asset.entityType, field.column !== undefined);
  return config.channelsOf(target).filter((channel) => manages(channel, field.aspect, level));
}

/** `''` for the entity itself, else the column's path written like an FQN. */
export function objectName(field: Field): string {
  return field.column === undefined ? '' : formatFqn(field.column);
}

/** What of a held change decides which keys its touches have. */
export type KeyedChange = Pick<HeldChange, 'config' | 'onlyChannel'>;

/** The only channel that a touch concerns: the one that its change brought the entity into, or the one that it replays. */
export function onlyChannelOf(touch: Touch, change: KeyedChange | undefined): string | undefined {
  return touch.channel ?? change?.onlyChannel;
}

/**
 * Channels that managed the field when the change was matched, or that the touch is restricted to, and that do so no longer: the
 * keys of the touch that the present configuration does not know.
 */
export function removedChannels(
  target: string,
  asset: Asset,
  touch: Touch,
  change: KeyedChange | undefined,
  managing: readonly Channel[],
  config: CompiledConfig,
): readonly string[] {
  const only = onlyChannelOf(touch, change);
  const present = new Set(managing.map((channel) => channel.name));
  if (only !== undefined) return present.has(only) ? [] : [only];
  if (change === undefined || change.config.revision === config.revision) return [];
  return managingChannels(target, asset, touch.field, change.config)
    .map((channel) => channel.name)
    .filter((name) => !present.has(name));
}
