import { STREAMS } from '../../src/domain/subjects.ts';
import { runsOf } from '../../src/service/history.ts';
import type { NatsLink } from '../../streams/nats/connection.ts';

const MOST = 255;

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
  let counts = new Uint8Array(1 << 16);
  let keys = 0;
  let wrong = 0;
  let unread = 0;
  let expected = 1;
  const examples: string[] = [];

  function count(sequence: number): void {
    if (sequence >= counts.length) {
      const larger = new Uint8Array(Math.max(counts.length * 2, sequence + 1));
      larger.set(counts);
      counts = larger;
    }
    keys += 1;
    counts[sequence] = Math.min(MOST, (counts[sequence] ?? 0) + 1);
  }

  const reading = (async () => {
    for await (const { subject, seq, time, data } of messages) {
      unread += seq - expected;
      expected = seq + 1;
      for (const run of runsOf({ subject, sequence: seq, time: time.getTime(), headers: {}, data })) {
        count(run.sequence);
        if (run.status !== 'failed' && run.status !== 'observed') continue;
        wrong += 1;
        if (examples.length < 10) examples.push(`${run.status} ${run.asset ?? ''}: ${run.reason ?? ''}`);
      }
    }
  })();

  return {
    get keys() {
      return keys;
    },
    get wrong() {
      return wrong;
    },
    get unread() {
      return unread;
    },
    examples,
    between(first, last) {
      let lost = 0;
      let doubled = 0;
      for (let sequence = first; sequence <= last; sequence += 1) {
        const found = counts[sequence] ?? 0;
        if (found === 0) lost += 1;
        if (found > 1) doubled += 1;
      }
      return { lost, doubled };
    },
    async stop() {
      await messages.close();
      await reading;
    },
  };
}
