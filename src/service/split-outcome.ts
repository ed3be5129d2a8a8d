import type { OutcomeItem, OutcomeMessage, SupersededItem } from '../domain/outcome.ts';
import { withRecorded } from '../domain/recorded-marks.ts';
import type { StateInMessage } from './outcome-objects.ts';
import { OutcomeTexts } from './outcome-text.ts';

/** Outcome messages stay below 256 KB, with room for headers. */
const MAX_BYTES = 240 * 1024;
/** What a part's state says of one object of one change that is recorded, in bytes at the most. */
const MARK_BYTES = 32;

/** The text of an outcome that needs no splitting; undefined: it does. */
export function textInOne(message: OutcomeMessage, texts: OutcomeTexts): string | undefined {
  if (texts.leastSize(message) > MAX_BYTES) return undefined;
  const text = texts.whole(message);
  return 3 * text.length <= MAX_BYTES || Buffer.byteLength(text) <= MAX_BYTES ? text : undefined;
}

/** Everything that an outcome says of one object and one change: it is recorded all at once. */
interface Group {
  readonly items: OutcomeItem[];
  readonly superseded: SupersededItem[];
  bytes: number;
}

/**
 * The parts of an outcome message that does not fit in one, each below the limit, to be published in turn. Only the last one names the settled sequences
 * and carries the new state; the others carry the state before and what they and those before them have recorded, so that after
 * a crash between them the rest is decided again, and nothing is recorded twice. `texts`: those of the message, as far as they are known.
 */
export function splitOutcome(
  message: OutcomeMessage,
  previous: StateInMessage,
  maxBytes = MAX_BYTES,
  texts = new OutcomeTexts(),
): readonly OutcomeMessage[] {
  const frame = { ...message, items: [], superseded: [] };
  const room = maxBytes - Math.max(texts.sizeOf(frame), texts.sizeOf({ ...frame, ...previous }));
  const parts: Group[][] = [];
  let bytes = 0;
  let marks = 0;
  for (const group of groupsOf(message, texts)) {
    const last = parts.at(-1);
    bytes += group.bytes;
    if (last !== undefined && bytes + marks <= Math.max(room, 4096)) last.push(group);
    else {
      parts.push([group]);
      bytes = group.bytes;
    }
    marks += MARK_BYTES;
  }
  if (parts.length <= 1) return [message];
  const { stateObject: _, ...withoutState } = message;
  let { state } = previous;
  return parts.map((groups, index) => {
    const items = groups.flatMap((group) => group.items);
    const superseded = groups.flatMap((group) => group.superseded);
    if (index === parts.length - 1) return { ...message, items, superseded };
    state = withRecorded(state, [...items, ...superseded]);
    return { ...withoutState, ...previous, state, items, superseded, id: `${message.id}.${index + 1}`, settles: [] };
  });
}

/** In the order in which the items come. */
function groupsOf({ items, superseded }: OutcomeMessage, texts: OutcomeTexts): readonly Group[] {
  const groups: Group[] = [];
  const bySequence = new Map<number, Map<string, Group>>();
  const groupOf = (item: OutcomeItem | SupersededItem): Group => {
    const ofChange = bySequence.get(item.sequence) ?? new Map<string, Group>();
    bySequence.set(item.sequence, ofChange);
    // No aspect has a blank in its name.
    const name = `${item.aspect ?? ''} ${item.object}`;
    let group = ofChange.get(name);
    if (group === undefined) {
      group = { items: [], superseded: [], bytes: 0 };
      ofChange.set(name, group);
      groups.push(group);
    }
    group.bytes += texts.sizeOfItem(item) + 1;
    return group;
  };
  for (const item of items) groupOf(item).items.push(item);
  for (const item of superseded) groupOf(item).superseded.push(item);
  return groups;
}
