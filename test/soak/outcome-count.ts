import { STREAMS } from '../../src/domain/subjects.ts';
import { runsOf } from '../../src/service/history.ts';
import type { NatsLink } from '../../streams/nats/connection.ts';
import { KeyCounts } from './key-counts.ts';

/** How often each change's one key was recorded, as far as it has been counted. */
export interface OutcomeCount {
  /** Keys counted so far. */
  readonly keys: number;
  /** Changes of the given sequences (inclusive) with no outcome, and with more than one. */
  between(first: number, last: number): { readonly lost: number; readonly doubled: number };
  /** Outcomes so far that are neither applied, unchanged, superseded nor skipped by the filter. */
  readonly wrong: number;
  /** Messages that OUTCOMES had dropped before they were read. */
  readonly unread: number;
  /** Up to ten wrong outcomes, for a person to look at. */
  readonly examples: readonly string[];
  stop(): Promise<void>;
}

/**
 * Counts outcomes while they are recorded: OUTCOMES keeps only the last few of an asset, so that they cannot be counted afterwards.
 * Every soak change touches one description, which makes its sequence its only key.
 */
export async function countOutcomes(link: NatsLink): Promise<OutcomeCount> {
  const consumer = await link.js.consumers.get(STREAMS.outcomes);
  const messages = await consumer.consume({ max_messages: 1_000 });
  const counts = new KeyCounts();
  let wrong = 0;
  let unread = 0;
  let expected = 1;
  const examples: string[] = [];

  const reading = (async () => {
    for await (const { subject, seq, time, data } of messages) {
      unread += seq - expected;
      expected = seq + 1;
      for (const run of runsOf({ subject, sequence: seq, time: time.getTime(), headers: {}, data })) {
        counts.add(run.sequence);
        if (run.status !== 'failed' && run.status !== 'observed') continue;
        wrong += 1;
        if (examples.length < 10) examples.push(`${run.status} ${run.asset ?? ''}: ${run.reason ?? ''}`);
      }
    }
  })();

  return {
    get keys() {
      return counts.total;
    },
    get wrong() {
      return wrong;
    },
    get unread() {
      return unread;
    },
    examples,
    between: (first, last) => counts.between(first, last),
    async stop() {
      await messages.close();
      await reading;
    },
  };
}
