import type { OpenField, Touch } from '../../src/domain/ledger.ts';
import type { SettledField } from '../../src/domain/sync-state.ts';
import { tagText } from '../../src/domain/tag-text.ts';
import type { HeldChange } from '../lane/held-change.ts';
import { passingTags } from './passing-tags.ts';

/**
 * The tags, as `key=value`, that may stand in the source by our doing: what we applied, what an earlier decision left there, and what
 * `touches` of people's changes name that may have been written without a word of it, by a try that failed half-way or by an owner
 * that died. What is decided now may have to leave them (an ignored user has the last word); a later decision takes them away.
 */
export function labelsInDoubt(
  field: OpenField['field'],
  touches: readonly Touch[],
  settled: SettledField | undefined,
  tried: boolean,
  held: (sequence: number) => HeldChange | undefined,
): readonly string[] {
  const again = touches.filter(({ sequence }) => tried || (held(sequence)?.delivery.deliveryCount ?? 1) > 1);
  const passing = passingTags(field, again, ({ sequence }) => held(sequence)?.received.event);
  return [...new Set([...(settled?.tags ?? []), ...(settled?.mayStand ?? []), ...passing.map(tagText)])];
}
