import type { CompiledConfig } from '../../src/config/compiled.ts';
import type { OutcomeItem } from '../../src/domain/outcome.ts';
import type { HeldChange } from '../lane/held-change.ts';
import { unexpectedFailure } from '../lane/unexpected-failure.ts';
import { ofWholeChange } from '../outcome-recorder/whole-change.ts';
import { admitChange } from './admit-change.ts';
import type { AssetEntry } from './asset-entry.ts';
import { isRecordedWhole } from './partly-recorded.ts';

/**
 * Admits a change so that one which brings out a mistake of ours ends alone: `failed` and in the dead letters, while the lane and
 * even the other changes of its asset go on. Never throws for what is in the change.
 */
export function admitSafely(
  entry: AssetEntry,
  held: HeldChange,
  target: string,
  config: CompiledConfig,
  now: number,
): void {
  try {
    admitChange(entry, held, target, config, now);
  } catch (error) {
    failAdmission(entry, held, error, now);
  }
}

/** Takes back what of the change has come into the ledger already, and notes its one outcome. */
function failAdmission(entry: AssetEntry, held: HeldChange, error: unknown, now: number): void {
  const { sequence } = held.received;
  const opened = entry.ledger
    .open()
    .flatMap((open) => [open.winner, ...open.losers])
    .filter((touch) => touch.sequence === sequence);
  entry.ledger.settle(opened, []);
  entry.ledger.markSettled(sequence);
  const { class: failureClass, code, message: what } = unexpectedFailure('the change could not be taken in', error);
  const message = `${what}; its asset goes on without it`;
  const item: OutcomeItem = {
    ...ofWholeChange(held, now),
    object: '',
    status: 'failed',
    reason: message,
    failure: { class: failureClass, code, message },
  };
  entry.held.set(sequence, held);
  if (!isRecordedWhole(entry, sequence)) {
    entry.items.push(item);
    entry.failed.push({ item });
  }
  entry.finished.add(sequence);
}
