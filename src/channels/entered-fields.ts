import { type Field, levelOf } from '../domain/entity.ts';
import type { Snapshot } from '../domain/snapshot.ts';
import { carriedFields } from '../domain/touches.ts';
import type { Channel } from './channel.ts';
import { entersChannel, manages } from './choose-channel.ts';

/**
 * What a change touches by bringing the entity into the channel's filter: every field of the channel that the state holds a value
 * for. An empty value never counts: nothing is unset on entering. None when the change does not enter.
 */
export function enteredFields(channel: Channel, state: Snapshot, before: Snapshot | undefined): readonly Field[] {
  if (!entersChannel(channel, state, before)) return [];
  return carriedFields(state).filter((field) =>
    manages(channel, field.aspect, levelOf(state.entityType, field.column !== undefined)),
  );
}
