import { describe, expect, it } from 'vitest';
import type { Publisher } from '../../streams/nats/contract.ts';
import { tableEvent } from '../../test/support/table-event.ts';
import { groupLetters } from '../cli/commands/dlq-list.ts';
import { CHANGE_HEADERS } from '../domain/change-headers.ts';
import type { DeadLetter } from '../domain/outcome.ts';
import { planReplay, replayLetters } from './dead-letters.ts';

const EVENT = tableEvent();

function letter(over: Partial<DeadLetter> = {}): DeadLetter {
  return {
    v: 1,
    id: 'l1',
    target: 'pg_sales',
    channel: 'docs',
    sequence: 7,
    eventId: EVENT.id,
    at: 1,
    failure: { class: 'not_found', code: '42P01', message: 'no such table' },
    body: JSON.stringify(EVENT),
    ...over,
  };
}

describe('planReplay', () => {
  it('makes a new change of the same event, for the target and channel that failed', () => {
    const plan = planReplay(letter(), 'new-id', 99);
    if (!plan.ok || plan.value.kind !== 'change') throw new Error('no change was planned');
    expect(JSON.parse(plan.value.body)).toEqual({ ...EVENT, id: 'new-id' });
    expect(plan.value).toMatchObject({
      replayOf: EVENT.id,
      headers: {
        [CHANGE_HEADERS.receivedAt]: '99',
        [CHANGE_HEADERS.replayOf]: EVENT.id,
        [CHANGE_HEADERS.replayTarget]: 'pg_sales',
        [CHANGE_HEADERS.replayChannel]: 'docs',
      },
    });
  });

  it('compares as the change that was first tried when a replay failed too', () => {
    const rank = { time: 1, entityId: 'e', version: 0.2, previous: 0.1, eventId: 'the-first' };
    const plan = planReplay(letter({ eventId: 'the-second', rank }), 'the-third', 99);
    expect(plan).toMatchObject({ ok: true, value: { replayOf: 'the-first' } });
  });

  it('gives what intake could not read back to intake', () => {
    const { target, channel, ...intake } = letter({ body: 'not JSON' });
    expect(planReplay(intake, 'x', 1)).toEqual({
      ok: true,
      value: { kind: 'raw', subject: 'events.replay', body: 'not JSON' },
    });
    expect(planReplay({ ...intake, body: JSON.stringify(EVENT) }, 'x', 1)).toMatchObject({
      value: { subject: 'events.pg_sales' },
    });
  });

  it('refuses what is not whole or holds no change', () => {
    expect(planReplay(letter({ bodyCut: true }), 'x', 1)).toMatchObject({
      ok: false,
      error: expect.stringContaining('beginning'),
    });
    expect(planReplay(letter({ body: '{}' }), 'x', 1)).toMatchObject({
      ok: false,
      error: expect.stringContaining('no change event'),
    });
  });
});

describe('groups of letters', () => {
  const stored = [
    { sequence: 1, letter: letter({ object: 'a' }) },
    { sequence: 2, letter: letter({ object: 'b' }) },
    { sequence: 3, letter: letter({ channel: 'other' }) },
    { sequence: 4, letter: letter({ eventId: 'cut', bodyCut: true }) },
    { sequence: 5, letter: letter({ eventId: 'another', at: 9 }) },
  ];

  it('replays a change once for all of its objects that failed, and tells for which letters', async () => {
    const sent: { subject: string; msgId: string | undefined }[] = [];
    const publisher: Publisher = {
      publish: async (subject, _data, options) => {
        sent.push({ subject, msgId: options?.msgId });
        return { sequence: 100 + sent.length, duplicate: false };
      },
      settle: async () => {},
    };
    const confirmed: number[] = [];
    const replayed = await replayLetters(
      publisher,
      1_000_000,
      stored,
      () => 1,
      async (sequence) => {
        confirmed.push(sequence);
      },
    );
    expect(replayed).toMatchObject([
      { letters: [1, 2], result: 'replayed', channel: 'docs', replayOf: EVENT.id, sequence: 101 },
      { letters: [3], channel: 'other', sequence: 102 },
      { letters: [4], result: 'cannot be replayed' },
      { letters: [5], channel: 'docs', sequence: 103 },
    ]);
    expect(confirmed).toEqual([1, 2, 3, 5]);
    expect(sent).toHaveLength(3);
    expect(new Set(sent.map(({ msgId }) => msgId)).size).toBe(3);
  });

  it('counts causes, the most frequent first', async () => {
    expect(await groupLetters(stored)).toMatchObject([
      { target: 'pg_sales', channel: 'docs', class: 'not_found', code: '42P01', count: 4, newest: 9, example: 5 },
      { channel: 'other', count: 1 },
    ]);
  });
});
