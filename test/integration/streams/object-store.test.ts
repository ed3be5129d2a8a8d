import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { changePartsSubject, objectSubject } from '../../../src/domain/subjects.ts';
import { connectNats, type NatsLink } from '../../../streams/nats/connection.ts';
import type { Publisher } from '../../../streams/nats/contract.ts';
import { getObject, putObject, removeObjectsBefore } from '../../../streams/nats/object-store.ts';
import { createPublisher } from '../../../streams/nats/publisher.ts';
import { ensureTopology } from '../../../streams/nats/topology.ts';
import { type NatsServer, startNatsServer } from '../../support/nats-server.ts';

let nats: NatsServer;
let link: NatsLink;
let publisher: Publisher;

beforeAll(async () => {
  nats = await startNatsServer();
  link = await connectNats({ servers: nats.url, name: 'objects' });
  await ensureTopology(link, { objectsMaxBytes: 40 * 1024 * 1024 });
  publisher = createPublisher(link, { maxMessages: 64, maxBytes: 8 * 1024 * 1024 });
});

afterAll(async () => {
  await link?.close();
  await nats?.stop();
});

const put = (subject: string, data: Uint8Array, id: string) =>
  putObject(publisher, { subject, data, id, maxPayload: link.maxPayload() });
const messages = async (): Promise<number> => (await link.jsm.streams.info('OBJECTS')).state.messages;

describe('the object store', () => {
  it('keeps the very first object of the stream when nothing lies before it', async () => {
    const subject = objectSubject('state', 'pg', 'first');
    const object = await put(subject, randomBytes(10), 'first');
    expect(object.sequences).toEqual([1]);
    await removeObjectsBefore(link, 'OBJECTS', subject, 1);
    expect(await getObject(link, 'OBJECTS', object)).toBeDefined();
  });

  it('gives back what was put, of any size', async () => {
    for (const size of [0, 1, 1_000_000, 1_048_576, 5_000_000]) {
      const data = randomBytes(size);
      const object = await put(objectSubject('values', 'pg', `sizes${size}`), data, `sizes-${size}`);
      expect(object.bytes).toBe(size);
      expect(Buffer.compare((await getObject(link, 'OBJECTS', object)) ?? Buffer.from('?'), data)).toBe(0);
    }
  });

  it('takes pieces of any size, and gives the whole back', async () => {
    const pieces = [0, 3, 700_000, 0, 2_300_000, 1_048_576, 17].map((size) => randomBytes(size));
    const whole = Buffer.concat(pieces);
    const object = await putObject(publisher, {
      subject: objectSubject('values', 'pg', 'pieces'),
      data: pieces,
      id: 'pieces',
      maxPayload: link.maxPayload(),
    });
    expect(object).toMatchObject({ bytes: whole.length, sequences: { length: 4 } });
    expect(Buffer.compare((await getObject(link, 'OBJECTS', object)) ?? Buffer.from('?'), whole)).toBe(0);
  });

  it('stores what is put again under the same id once', async () => {
    const data = randomBytes(3_000_000);
    const first = await put(objectSubject('values', 'pg', 'again'), data, 'again');
    const before = await messages();
    expect(await put(objectSubject('values', 'pg', 'again'), data, 'again')).toEqual(first);
    expect(await messages()).toBe(before);
  });

  it('gives nothing when a part is gone or is not what was stored', async () => {
    const object = await put(objectSubject('values', 'pg', 'gone'), randomBytes(2_500_000), 'gone');
    expect(await getObject(link, 'OBJECTS', { ...object, sha256: 'other' })).toBeUndefined();
    expect(await getObject(link, 'OBJECTS', { ...object, sequences: object.sequences.slice(1) })).toBeUndefined();
    await link.jsm.streams.deleteMessage('OBJECTS', object.sequences[1] ?? 0);
    expect(await getObject(link, 'OBJECTS', object)).toBeUndefined();
  });

  it('removes what was replaced, and nothing of others', async () => {
    const subject = objectSubject('state', 'pg', 'k1');
    const other = await put(objectSubject('state', 'pg', 'k2'), randomBytes(10), 'other');
    const old = await put(subject, randomBytes(2_500_000), 'old');
    const next = await put(subject, randomBytes(10), 'next');
    await removeObjectsBefore(link, 'OBJECTS', subject, next.sequences[0] ?? 0);
    expect(await getObject(link, 'OBJECTS', old)).toBeUndefined();
    expect(await getObject(link, 'OBJECTS', next)).toBeDefined();
    expect(await getObject(link, 'OBJECTS', other)).toBeDefined();
  });

  it('keeps no more values on a subject than outcomes of an asset are kept', async () => {
    const subject = objectSubject('values', 'pg', 'many');
    for (let round = 0; round < 55; round += 1) await put(subject, randomBytes(100), `many-${round}`);
    const { state } = await link.jsm.streams.info('OBJECTS', { subjects_filter: `${subject}.>` });
    expect(state.subjects).toEqual({ [`${subject}.0`]: 50 });
  });

  it('says so when the stream is full, and takes the parts of an event into CHANGES', async () => {
    await expect(
      put(objectSubject('values', 'pg', 'full'), randomBytes(41 * 1024 * 1024), 'full'),
    ).rejects.toMatchObject({ code: 'full' });
    const data = randomBytes(3_000_000);
    const object = await put(changePartsSubject('abc'), data, 'event');
    expect(Buffer.compare((await getObject(link, 'CHANGES', object)) ?? Buffer.from('?'), data)).toBe(0);
  });
});
