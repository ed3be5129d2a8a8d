import type { LaneStore, RecordAnswer } from '../../actors/lane/lane-ports.ts';
import type { NatsLink } from '../../streams/nats/connection.ts';
import type { Publisher } from '../../streams/nats/contract.ts';
import { getObject } from '../../streams/nats/object-store.ts';
import { readNewestFirst } from '../../streams/nats/read-stream.ts';
import { getBySequence, getLastFromLeader, getLastMany } from '../../streams/nats/stored-messages.ts';
import { StreamError } from '../../streams/nats/stream-error.ts';
import { isLargeState } from '../domain/large-state.ts';
import type { BulkOutcomeMessage, DeadLetter, OutcomeMessage } from '../domain/outcome.ts';
import { parseBulkOutcomeMessage, parseOutcomeMessage } from '../domain/parse-outcome.ts';
import { bulkOutcomeSubject, deadLetterSubject, encodeToken, STREAMS } from '../domain/subjects.ts';
import type { SyncState } from '../domain/sync-state.ts';
import { changeBody } from './change-body.ts';
import { needsObjects, OutcomeObjects } from './outcome-objects.ts';
import { OutcomeTexts } from './outcome-text.ts';
import { createParkedStore } from './parked-store.ts';
import { splitOutcome, textInOne } from './split-outcome.ts';
import { isPassing, type Trying, whileOurs } from './while-ours.ts';

export interface LaneStoreOptions extends Trying {
  readonly link: NatsLink;
  readonly publisher: Publisher;
  readonly target: string;
  readonly partition: number;
  /** Of the target. */
  readonly partitions: number;
}

/** The lane's side of the streams OUTCOMES, DEADLETTERS and CHANGES on real NATS. */
export function createLaneStore(options: LaneStoreOptions): LaneStore {
  const { link, publisher } = options;
  const objects = new OutcomeObjects(link, publisher);

  const persist = <T>(action: () => Promise<T>): Promise<T> => whileOurs(action, options);

  /** The answer, or `lost` when it failed and the lane is no longer ours. */
  async function unlessLost<T>(action: () => Promise<T>): Promise<T | 'lost'> {
    try {
      return await persist(action);
    } catch (error) {
      if (isPassing(error)) return 'lost';
      throw error;
    }
  }

  /** Publishes one part. A compare-and-set conflict is understood by what stands there: ours already, or somebody else's. */
  async function record(
    subject: string,
    message: OutcomeMessage,
    expected: number,
    data: string,
  ): Promise<RecordAnswer> {
    let expectedLastSubjectSequence = expected;
    for (;;) {
      try {
        const settings = { msgId: message.id, expectedLastSubjectSequence };
        const receipt = await unlessLost(() => publisher.publish(subject, data, settings));
        return receipt === 'lost' ? { kind: 'lost' } : { kind: 'recorded', sequence: receipt.sequence };
      } catch (error) {
        if (!(error instanceof StreamError) || error.code !== 'conflict') throw error;
      }
      const last = await unlessLost(() => getLastFromLeader(link, STREAMS.outcomes, subject));
      if (last === 'lost') return { kind: 'lost' };
      const stored = last === undefined ? undefined : parseOutcomeMessage(last.data);
      if (last !== undefined && stored?.id === message.id) return { kind: 'recorded', sequence: last.sequence };
      if (stored !== undefined && stored.epoch > message.epoch) return { kind: 'lost' };
      // An owner before us wrote while we took over: the decision has to be made again from its state.
      if (stored !== undefined) return { kind: 'outdated' };
      expectedLastSubjectSequence = last?.sequence ?? 0;
    }
  }

  async function recordParts(
    subject: string,
    message: OutcomeMessage,
    expectedSequence: number,
    previous: SyncState,
    texts: OutcomeTexts,
  ): Promise<RecordAnswer> {
    const before = isLargeState(previous)
      ? await unlessLost(() => objects.state(message, previous, `${message.id}.before`))
      : { state: previous };
    if (before === 'lost') return { kind: 'lost' };
    let answer: RecordAnswer = { kind: 'recorded', sequence: expectedSequence };
    for (const part of splitOutcome(message, before, undefined, texts)) {
      if (answer.kind !== 'recorded') return answer;
      answer = await record(subject, part, answer.sequence, texts.whole(part));
    }
    return answer;
  }

  /** A letter above the server's limit loses the end of its body, which stands in CHANGES as well. */
  async function publishLetter(letter: DeadLetter): Promise<void> {
    const subject = deadLetterSubject(letter.target, letter.id);
    for (let body = letter.body; ; body = body.slice(0, body.length / 2).toWellFormed()) {
      const part = body.length === letter.body.length ? letter : { ...letter, body, bodyCut: true };
      try {
        await persist(() => publisher.publish(subject, JSON.stringify(part), { msgId: letter.id }));
        return;
      } catch (error) {
        if (!(error instanceof StreamError) || error.code !== 'too-large' || body === '') throw error;
      }
    }
  }

  return {
    lastOutcomes: (subjects) => persist(() => getLastMany(link, STREAMS.outcomes, subjects)),
    async recordOutcome(subject, message, expectedSequence, previous) {
      const stored = needsObjects(message) ? await unlessLost(() => objects.outcome(message)) : message;
      if (stored === 'lost') return { kind: 'lost' };
      const texts = new OutcomeTexts();
      const whole = textInOne(stored, texts);
      const answer =
        whole === undefined
          ? await recordParts(subject, stored, expectedSequence, previous, texts)
          : await record(subject, stored, expectedSequence, whole);
      if (answer.kind === 'recorded' && stored.stateObject !== undefined) void objects.removeReplaced(stored);
      return answer;
    },
    async recordBulk(message: BulkOutcomeMessage) {
      const [first = message.items[0]?.sequence ?? 0] = message.settles;
      const subject = bulkOutcomeSubject(message.target, options.partition, first);
      // No compare-and-set guards these: a replica that was stopped for longer than its lease must not go on where it stood.
      if (!options.valid()) return 'lost';
      const receipt = await unlessLost(() =>
        publisher.publish(subject, JSON.stringify(message), { msgId: message.id }),
      );
      return receipt === 'lost' ? 'lost' : 'recorded';
    },
    settledInBulk: (sequences, since) =>
      persist(async () => {
        const wanted = new Set(sequences);
        const found = new Set<number>();
        const filter = `bulk.${encodeToken(options.target)}.${options.partition}.*`;
        const bulk = { stream: STREAMS.outcomes, filter, limit: Number.POSITIVE_INFINITY };
        for await (const { data, time } of readNewestFirst(link, bulk)) {
          if (time < since || found.size === wanted.size) break;
          for (const sequence of parseBulkOutcomeMessage(data)?.settles ?? [])
            if (wanted.has(sequence)) found.add(sequence);
        }
        return found;
      }),
    recordDeadLetter: publishLetter,
    parking: createParkedStore({ ...options, persist }),
    async changeBody(sequence) {
      const body = await persist(async () => {
        const message = await getBySequence(link, STREAMS.changes, sequence);
        return message === undefined ? undefined : changeBody(link, message);
      });
      return body === undefined ? undefined : Buffer.from(body).toString('utf8');
    },
    async fetchObject(of, object) {
      const stream = of === 'event' ? STREAMS.changes : STREAMS.objects;
      const data = await persist(() => getObject(link, stream, object));
      if (data === undefined)
        options.onTrouble(`an object (${of}, sequence ${object.sequences[0]}) is gone from ${stream}`);
      return data;
    },
  };
}
