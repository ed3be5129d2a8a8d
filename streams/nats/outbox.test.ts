import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { Outbox } from './outbox.ts';

function world(refuse: string[] = []) {
  const sent: string[] = [];
  const outbox = new Outbox({
    publish: (subject) => {
      if (refuse.includes(subject)) throw new Error('closed');
      sent.push(subject);
    },
  });
  return { outbox, sent };
}

describe('Outbox', () => {
  it('sends what a turn has given it together at the end of the turn, in order', async () => {
    const { outbox, sent } = world();
    for (const subject of ['a', 'b', 'c']) {
      await Promise.resolve();
      outbox.send({ subject, data: '' });
    }
    expect(sent).toEqual([]);
    await nextTurn();
    expect(sent).toEqual(['a', 'b', 'c']);
  });

  it('sends at once when it is told to, or when much has come', () => {
    const { outbox, sent } = world();
    outbox.send({ subject: 'a', data: '' });
    outbox.flush();
    expect(sent).toEqual(['a']);
    outbox.send({ subject: 'b', data: 'x'.repeat(200_000) });
    outbox.send({ subject: 'c', data: new Uint8Array(100_000) });
    expect(sent).toEqual(['a', 'b', 'c']);
  });

  it('tells of a message that the client does not take, and sends the others', async () => {
    const { outbox, sent } = world(['b']);
    const failed: unknown[] = [];
    for (const subject of ['a', 'b', 'c']) outbox.send({ subject, data: '', failed: (error) => failed.push(error) });
    await nextTurn();
    expect(sent).toEqual(['a', 'c']);
    expect(failed).toMatchObject([{ message: 'closed' }]);
  });
});
