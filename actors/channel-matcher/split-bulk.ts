import type { Span } from '@opentelemetry/api';
import type { OutcomeItem } from '../../src/domain/outcome.ts';
import type { Delivery } from '../../streams/nats/contract.ts';
import type { HeldChange } from '../lane/held-change.ts';

/** A delivery that the configuration alone decides, with its items and its `CHANGES process` span. */
export interface SettledAlone {
  readonly delivery: Delivery;
  readonly items: readonly OutcomeItem[];
  readonly held?: HeldChange;
  readonly span?: Span;
}

/** Bulk outcomes stay below 256 KB, with room for the frame and the headers. */
const MAX_BYTES = 200 * 1024;

export interface BulkPart {
  readonly items: readonly OutcomeItem[];
  /** The deliveries whose last item stands in this part. */
  readonly settles: readonly SettledAlone[];
}

/** The parts of a bulk outcome, in order, each below the limit. A delivery is settled by the part that holds its last item. */
export function splitBulk(settled: readonly SettledAlone[], maxBytes = MAX_BYTES): readonly BulkPart[] {
  const parts: { items: OutcomeItem[]; settles: SettledAlone[]; bytes: number }[] = [];
  const open = (): (typeof parts)[number] => {
    const next = { items: [], settles: [], bytes: 0 };
    parts.push(next);
    return next;
  };
  let part = open();
  for (const one of settled) {
    for (const item of one.items) {
      const bytes = Buffer.byteLength(JSON.stringify(item)) + 1;
      if (part.bytes > 0 && part.bytes + bytes > maxBytes) part = open();
      part.items.push(item);
      part.bytes += bytes;
    }
    part.settles.push(one);
  }
  return parts.filter(({ settles, items }) => settles.length > 0 || items.length > 0);
}
