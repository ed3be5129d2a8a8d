import type { LaneStore, RecordAnswer } from '../../actors/lane/lane-ports.ts';
import type { NatsLink } from '../../streams/nats/connection.ts';
import type { Publisher } from '../../streams/nats/contract.ts';
import { getBySequence, getLastFromLeader, getLastMany } from '../../streams/nats/stored-messages.ts';
import { StreamError } from '../../streams/nats/stream-error.ts';
import type { BulkOutcomeMessage, DeadLetter, OutcomeMessage } from '../domain/outcome.ts';
import { parseOutcomeMessage } from '../domain/parse-outcome.ts';
import { bulkOutcomeSubject, deadLetterSubject, STREAMS } from '../domain/subjects.ts';
import { splitOutcome } from './split-outcome.ts';

/** Wait before a publish that NATS did not take is tried again. */
const RETRY_MS = 500;

export interface LaneStoreOptions {
  readonly link: NatsLink;
  readonly publisher: Publisher;
  readonly partition: number;
  /** False once the lane's lease is gone: a publish that keeps failing is then given up. */
  readonly valid: () => boolean;
  /** Told about every failed try, in words without secrets. */
  readonly onTrouble: (message: string) => void;
}

/** The lane's side of the streams OUTCOMES, DEADLETTERS and CHANGES on real NATS. */
export function createLaneStore(options: LaneStoreOptions): LaneStore {
  const { link, publisher } = options;

  /** Tries until it is stored; undefined when the lane was lost meanwhile. A refusal that no retry can cure is thrown. */
  async function persist(
    subject: string,
    data: string,
    settings: Parameters<Publisher['publish']>[2],
  ): Promise<number | undefined> {
    for (;;) {
      try {
        return (await publisher.publish(subject, data, settings)).sequence;
      } catch (error) {
        if (!(error instanceof StreamError) || error.code === 'conflict' || error.code === 'too-large') throw error;
        options.onTrouble(error.message);
        if (!options.valid()) return undefined;
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
      }
    }
  }

  /** Publishes one part after a compare-and-set conflict was understood: ours already, or a refreshed expectation. */
  async function record(subject: string, message: OutcomeMessage, expected: number): Promise<RecordAnswer> {
    const data = JSON.stringify(message);
    let expectedSequence = expected;
    for (;;) {
      try {
        const sequence = await persist(subject, data, {
          msgId: message.id,
          expectedLastSubjectSequence: expectedSequence,
        });
        return sequence === undefined ? { kind: 'lost' } : { kind: 'recorded', sequence };
      } catch (error) {
        if (!(error instanceof StreamError) || error.code !== 'conflict') throw error;
        const last = await getLastFromLeader(link, STREAMS.outcomes, subject);
        const stored = last === undefined ? undefined : parseOutcomeMessage(last.data);
        if (last !== undefined && stored?.id === message.id) return { kind: 'recorded', sequence: last.sequence };
        if (stored !== undefined && stored.epoch > message.epoch) return { kind: 'lost' };
        expectedSequence = last?.sequence ?? 0;
      }
    }
  }

  return {
    async lastOutcomes(subjects) {
      return getLastMany(link, STREAMS.outcomes, subjects);
    },
    async recordOutcome(subject, message, expectedSequence, previous) {
      let answer: RecordAnswer = { kind: 'recorded', sequence: expectedSequence };
      for (const part of splitOutcome(message, previous)) {
        answer = await record(subject, part, answer.sequence);
        if (answer.kind === 'lost') return answer;
      }
      return answer;
    },
    async recordBulk(message: BulkOutcomeMessage) {
      const [first = 0] = message.settles;
      await persist(bulkOutcomeSubject(message.target, options.partition, first), JSON.stringify(message), {
        msgId: message.id,
      });
    },
    async recordDeadLetter(letter: DeadLetter) {
      await persist(deadLetterSubject(letter.target, letter.id), JSON.stringify(letter), { msgId: letter.id });
    },
    async changeBody(sequence) {
      const message = await getBySequence(link, STREAMS.changes, sequence);
      return message === undefined ? undefined : Buffer.from(message.data).toString('utf8');
    },
  };
}
