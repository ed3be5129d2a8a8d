import type { PlannedWrite } from '../../connectors/contract.ts';
import { isGuarded } from '../../src/channels/channel-holds.ts';
import { takesAway } from '../../src/domain/operation.ts';
import type { FieldResult } from '../lane/asset-work.ts';
import type { ClearGuard } from '../lane/lane-ports.ts';
import { writingSequence } from '../lane/staged-work.ts';
import type { BatchField } from './write-batch.ts';

/** A field and what would be sent for it. */
export interface FieldToSend {
  readonly field: BatchField;
  readonly write: PlannedWrite;
}

/**
 * Parts what would be sent into what may go and what the guards of the channels hold back. The guard is asked only about what is known
 * to take something away from the source as it stands.
 */
export async function passGuard(
  sends: readonly FieldToSend[],
  guard: ClearGuard | undefined,
): Promise<{ readonly go: readonly FieldToSend[]; readonly held: readonly FieldToSend[] }> {
  const clears = guard === undefined ? [] : sends.filter(clearsSomething);
  if (guard === undefined || clears.length === 0) return { go: sends, held: [] };
  const passes = await guard.pass(
    clears.map(({ field: { work, field, write } }) => {
      const sequence = writingSequence(field);
      return { id: `${work.key} ${field.open.key} ${sequence}`, channel: write.channel, sequence };
    }),
  );
  const held = new Set(clears.filter((_, index) => passes[index] !== true));
  return { go: sends.filter((send) => !held.has(send)), held: [...held] };
}

/** Where a template writes nobody knows, so there the operation alone counts. */
function clearsSomething({ field: { write }, write: { operation, source } }: FieldToSend): boolean {
  if (!isGuarded(write.channel) || !takesAway(operation)) return false;
  if (write.template !== undefined) return true;
  switch (operation.aspect) {
    case 'description':
      return source.description !== undefined && source.description !== '';
    case 'owners':
      return source.owner !== undefined;
    case 'tags': {
      const { tags } = source;
      return (
        tags === undefined ||
        operation.unset.some(({ key, value }) => tags.some((tag) => tag.key === key && tag.value === value))
      );
    }
  }
}

/** The result of a field that was not sent: it stays open. */
export function heldResult({ field, write }: BatchField): FieldResult {
  return { key: field.open.key, status: 'held', statements: [], notes: write.notes, attempts: field.attempts };
}
