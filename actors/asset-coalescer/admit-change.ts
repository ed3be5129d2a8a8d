import { enteredFields } from '../../src/channels/entered-fields.ts';
import type { CompiledConfig } from '../../src/config/compiled.ts';
import type { ReceivedChange, Touch } from '../../src/domain/ledger.ts';
import type { HeldChange } from '../lane/held-change.ts';
import { ofWholeChange } from '../outcome-recorder/whole-change.ts';
import type { AssetEntry } from './asset-entry.ts';
import { managingChannels, objectName } from './channel-keys.ts';
import { DELETED } from './decide-field.ts';
import { ignoredUser } from './ignored-user.ts';
import { noteRedelivered } from './note-redelivered.ts';
import { closeRecorded, isRecorded, isRecordedWhole } from './partly-recorded.ts';

/**
 * Puts a change into the entry's ledger, holds it, and notes what is already certain about it (duplicates, nothing to write).
 * What the state names as settled is acknowledged, and is all that is not held afterwards.
 */
export function admitChange(
  entry: AssetEntry,
  held: HeldChange,
  target: string,
  config: CompiledConfig,
  now: number,
): void {
  const { received } = held;
  const { sequence } = received;
  const admission = entry.ledger.admit(asAdmitted(entry, received, config), now);
  if (admission.kind === 'settled') {
    held.delivery.ack();
    held.span.end();
    return;
  }
  entry.held.set(sequence, held);
  switch (admission.kind) {
    case 'held':
    case 'waiting':
      return;
    case 'duplicate':
      if (held.delivery.deliveryCount > 1 && ignoredUser(received.event, config) === undefined)
        noteRedelivered(entry, held, admission.touches);
      noteDuplicate(entry, held, admission.touches, target, config);
      return;
    case 'deleted':
    case 'admitted':
      if (admission.kind === 'admitted') touchEntered(entry, held, target, config);
      if (!entry.ledger.isOpen(sequence)) noteNothingToWrite(entry, held, admission.kind === 'deleted', now);
      closeRecorded(entry, sequence);
      if (!entry.ledger.isOpen(sequence)) entry.finished.add(sequence);
  }
}

/** The change with what the ledger has to know of it beside the event. */
function asAdmitted(entry: AssetEntry, received: ReceivedChange, config: CompiledConfig): ReceivedChange {
  const parked = entry.parked.has(received.sequence);
  const ignored = ignoredUser(received.event, config) !== undefined;
  if (!parked && !ignored) return received;
  return { ...received, ...(parked ? { parked: true } : {}), ...(ignored ? { ignored: true } : {}) };
}

function noteDuplicate(
  entry: AssetEntry,
  held: HeldChange,
  touches: readonly Touch[],
  target: string,
  config: CompiledConfig,
): void {
  const identity = {
    sequence: held.received.sequence,
    eventId: held.received.event.id,
    ...(held.traceId === undefined ? {} : { traceId: held.traceId }),
  };
  for (const touch of touches) {
    if (isRecorded(entry, touch)) continue;
    const managing = managingChannels(target, entry.asset, touch.field, config).map((channel) => channel.name);
    const channels = held.onlyChannel === undefined ? managing : [held.onlyChannel];
    const common = { ...identity, aspect: touch.field.aspect, object: objectName(touch.field), by: 'duplicate' };
    if (channels.length === 0) entry.superseded.push(common);
    for (const channel of channels) entry.superseded.push({ ...common, channel });
  }
  if (touches.length === 0 && !isRecordedWhole(entry, identity.sequence))
    entry.superseded.push({ ...identity, object: '', by: 'duplicate' });
  entry.finished.add(held.received.sequence);
}

function noteNothingToWrite(entry: AssetEntry, held: HeldChange, deleted: boolean, now: number): void {
  if (isRecordedWhole(entry, held.received.sequence)) return;
  entry.items.push({
    ...ofWholeChange(held, now),
    object: '',
    status: 'skipped',
    reason: deleted ? DELETED : 'the change touches nothing that is written back',
  });
}

/** A change that brings the entity into a channel's filter touches everything of that channel that the snapshot carries. */
function touchEntered(entry: AssetEntry, held: HeldChange, target: string, config: CompiledConfig): void {
  const { sequence } = held.received;
  const channels = config.channelsOf(target).filter(({ filter }) => filter.constant !== true);
  if (channels.length === 0) return;
  const before = entry.ledger.before(sequence);
  const after = entry.ledger.newest();
  if (before === undefined || after === undefined) return;
  for (const channel of channels) {
    if (held.onlyChannel !== undefined && held.onlyChannel !== channel.name) continue;
    for (const field of enteredFields(channel, after, before)) entry.ledger.touch(sequence, field, channel.name);
  }
}
