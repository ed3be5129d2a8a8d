import { describe, expect, it } from 'vitest';
import { idleObserver, idleStore } from '../../test/support/idle-lane.ts';
import { IDENTITY, T0 } from '../../test/support/lane-samples.ts';
import { until } from '../../test/support/until.ts';
import type { RecordAnswer } from '../lane/lane-ports.ts';
import type { Round } from './record-round.ts';
import { type RecordedRound, recordTogether } from './record-together.ts';

function round(key: string): Round {
  const message = {
    v: 1,
    id: key,
    target: IDENTITY.target,
    asset: { entityType: 'table', fqn: key, key },
    at: T0,
    lane: IDENTITY.lane,
    epoch: 1,
    configRevision: 1,
    items: [],
    superseded: [],
    settles: [],
    state: { v: 1, fields: {}, recent: [], settled: [] },
  } as const;
  return { subject: `outcome.${key}`, key, expectedSequence: 0, message, failed: [], traces: new Map() };
}

/** A recorder whose store answers when the test says so. */
function recorder() {
  const told: (readonly RecordedRound[])[] = [];
  const answers = new Map<string, PromiseWithResolvers<RecordAnswer>>();
  const recordOutcome = (subject: string): Promise<RecordAnswer> => {
    const answer = Promise.withResolvers<RecordAnswer>();
    answers.set(subject, answer);
    return answer.promise;
  };
  const store = { ...idleStore, lastOutcomes: async () => new Map(), recordOutcome };
  const ports = { store, connect: () => Promise.reject(new Error('not used')), observe: idleObserver };
  const record = recordTogether(ports, (ended) => void told.push(ended));
  return { record, told, answers };
}

describe('recordTogether', () => {
  it('tells together what is confirmed together, and what comes later by itself', async () => {
    const { record, told, answers } = recorder();
    for (const key of ['a', 'b', 'c']) record(round(key), 0);
    await until(() => answers.size === 3);
    answers.get('outcome.a')?.resolve({ kind: 'recorded', sequence: 1 });
    answers.get('outcome.b')?.resolve({ kind: 'outdated' });
    await until(() => told.length === 1);
    answers.get('outcome.c')?.resolve({ kind: 'recorded', sequence: 2 });
    await until(() => told.length === 2);
    expect(told.map((ended) => ended.map(({ round: { key }, answer }) => [key, answer?.kind]))).toEqual([
      [
        ['a', 'recorded'],
        ['b', 'outdated'],
      ],
      [['c', 'recorded']],
    ]);
  });

  it('counts the tries of what could not be stored', async () => {
    const { record, told, answers } = recorder();
    record(round('a'), 2);
    await until(() => answers.size === 1);
    answers.get('outcome.a')?.reject(new Error('away'));
    await until(() => told.length === 1);
    expect(told[0]).toMatchObject([{ round: { key: 'a' }, tries: 3 }]);
    expect(told[0]?.[0]).not.toHaveProperty('answer');
  });
});
