import { describe, expect, it } from 'vitest';
import { envelopeOf } from './envelope.ts';
import { KernelUsageError } from './kernel-error.ts';
import { Mailbox, type MailboxOptions } from './mailbox.ts';

function mailboxOf(options: MailboxOptions<string>) {
  const displaced: string[] = [];
  const mailbox = new Mailbox<string>(options, (envelope, why) => displaced.push(`${why} ${envelope.msg}`));
  const push = (msg: string) => mailbox.push(envelopeOf(msg));
  const takeAll = () => {
    const taken: string[] = [];
    for (let next = mailbox.take(); next !== undefined; next = mailbox.take()) taken.push(next.msg);
    return taken;
  };
  return { mailbox, push, takeAll, displaced };
}

const bytes = { size: (msg: string) => msg.length, maxSize: 10 };

describe('Mailbox', () => {
  it('is bounded in messages', () => {
    const { push, takeAll } = mailboxOf({ capacity: 2 });
    expect(['a', 'b', 'c'].map(push)).toEqual([true, true, false]);
    expect(takeAll()).toEqual(['a', 'b']);
  });

  it('is bounded in size, and takes one message above the limit when nothing else waits', () => {
    const { mailbox, push, takeAll } = mailboxOf(bytes);
    expect(['123456', '1234', '1'].map(push)).toEqual([true, true, false]);
    expect(mailbox.room()).toEqual({ messages: 998, size: 0 });
    takeAll();
    expect(push('far above the limit')).toBe(true);
    expect(push('1')).toBe(false);
  });

  it('lets an offer wait, lets nothing overtake it, and takes it when there is room', async () => {
    const { mailbox, push, takeAll } = mailboxOf({ ...bytes, capacity: 2 });
    push('12345678');
    let taken = false;
    const offer = mailbox.pushWhenRoom(envelopeOf('abcd'))?.then(() => {
      taken = true;
    });
    expect(push('1')).toBe(false);
    expect(mailbox.room()).toEqual({ messages: 0, size: 0 });
    await Promise.resolve();
    expect(taken).toBe(false);
    expect(takeAll()).toEqual(['12345678', 'abcd']);
    await offer;
    expect(taken).toBe(true);
  });

  it('bounds the waiting offers, and refuses to wait where the policy says so', () => {
    const waiting = mailboxOf({ capacity: 1, maxWaiting: 1 });
    waiting.push('a');
    expect(waiting.mailbox.pushWhenRoom(envelopeOf('b'))).toBeInstanceOf(Promise);
    expect(waiting.mailbox.pushWhenRoom(envelopeOf('c'))).toBeUndefined();
    const refusing = mailboxOf({ capacity: 1, overflow: 'refuse' });
    refusing.push('a');
    expect(refusing.mailbox.pushWhenRoom(envelopeOf('b'))).toBeUndefined();
  });

  it('drops as many of the oldest as the newest needs', () => {
    const { push, takeAll, displaced } = mailboxOf({ ...bytes, overflow: 'drop-oldest' });
    expect(['1234', '567', '89', 'abcdef'].map(push)).toEqual([true, true, true, true]);
    expect(displaced).toEqual(['dropped 1234', 'dropped 567']);
    expect(takeAll()).toEqual(['89', 'abcdef']);
  });

  it('coalesces by key at the end of the queue, only when there is no room', () => {
    const { push, takeAll, displaced } = mailboxOf({ capacity: 3, overflow: { coalesce: (msg) => msg[0] } });
    expect(['a1', 'a2', 'b1'].map(push)).toEqual([true, true, true]);
    expect(['a3', 'c1'].map(push)).toEqual([true, false]);
    expect(displaced).toEqual(['coalesced a2']);
    expect(takeAll()).toEqual(['a1', 'b1', 'a3']);
  });

  it('merges without a loss, and refuses a merge that would outgrow the size', () => {
    const { mailbox, push, takeAll, displaced } = mailboxOf({
      ...bytes,
      capacity: 2,
      overflow: { coalesce: (msg) => msg[0], merge: (older, newer) => older + newer },
    });
    expect(['a1', 'b1', 'a2'].map(push)).toEqual([true, true, true]);
    expect(push('a3456789')).toBe(false);
    expect(mailbox.room().size).toBe(4);
    expect(takeAll()).toEqual(['b1', 'a1a2']);
    expect(displaced).toEqual([]);
  });

  it('gives everything up in order and rejects what waits', async () => {
    const { mailbox, push } = mailboxOf({ capacity: 1 });
    push('a');
    const offer = mailbox.pushWhenRoom(envelopeOf('b'));
    const lost: string[] = [];
    mailbox.drain((envelope) => {
      lost.push(envelope.msg);
      return new Error(`gone: ${envelope.msg}`);
    });
    expect(lost).toEqual(['a', 'b']);
    await expect(offer).rejects.toThrow('gone: b');
    expect(mailbox.room().messages).toBe(1);
  });

  it('refuses options and sizes that make no sense', () => {
    expect(() => mailboxOf({ capacity: 0 })).toThrow(KernelUsageError);
    expect(() => mailboxOf({ maxSize: 5 })).toThrow(KernelUsageError);
    expect(() => mailboxOf({ size: () => Number.NaN, maxSize: 1 }).push('a')).toThrow(KernelUsageError);
  });
});
