import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { StoredObject } from '../../src/domain/stored-object.ts';
import { apiRequest } from './api-request.ts';
import type { NatsLink } from './connection.ts';
import type { MessageHeaders, Publisher } from './contract.ts';
import { getBySequence } from './stored-messages.ts';

/** Bytes of a message kept free for its headers. */
const HEADER_ROOM = 1_024;
/** Larger parts would only make the server's buffers larger. */
const MAX_PART = 1024 * 1024;

export interface ObjectToPut {
  /** The parts lie on `<subject>.<number>`, counted from 0. */
  readonly subject: string;
  readonly data: Uint8Array;
  /** Put again under the same id within the stream's duplicate window, it is stored once. */
  readonly id: string;
  readonly headers?: MessageHeaders;
  /** Largest message that the server takes, in bytes. */
  readonly maxPayload: number;
  readonly giveUpAfterMs?: number;
}

/**
 * Stores a value of any size as messages of the stream that takes its subject; resolves when all of them are stored. Errors:
 * `StreamError`; parts that were stored before an error stay behind until the stream's own rules remove them.
 */
export async function putObject(publisher: Publisher, object: ObjectToPut): Promise<StoredObject> {
  const { subject, data, id, headers, giveUpAfterMs } = object;
  const size = Math.max(1, Math.min(MAX_PART, object.maxPayload - HEADER_ROOM - subject.length));
  const count = Math.max(1, Math.ceil(data.length / size));
  const receipts = await Promise.all(
    Array.from({ length: count }, (_, part) =>
      publisher.publish(`${subject}.${part}`, data.subarray(part * size, (part + 1) * size), {
        msgId: `${id}.${part}`,
        ...(headers === undefined ? {} : { headers }),
        ...(giveUpAfterMs === undefined ? {} : { giveUpAfterMs }),
      }),
    ),
  );
  return { sequences: receipts.map(({ sequence }) => sequence), bytes: data.length, sha256: sha256(data) };
}

/** The value as it was stored; undefined when a part is gone, or what stands there is something else. Errors: `StreamError`. */
export async function getObject(
  link: NatsLink,
  stream: string,
  { sequences, bytes, sha256: wanted }: StoredObject,
): Promise<Uint8Array | undefined> {
  const parts: Uint8Array[] = [];
  for (const sequence of sequences) {
    const part = await getBySequence(link, stream, sequence);
    if (part === undefined) return undefined;
    parts.push(part.data);
  }
  const data = Buffer.concat(parts);
  return data.length === bytes && sha256(data) === wanted ? data : undefined;
}

/** Removes what lies below a sequence on `<subject>.*`: the objects that the one put there last has replaced. */
export async function removeObjectsBefore(
  link: NatsLink,
  stream: string,
  subject: string,
  sequence: number,
): Promise<void> {
  // The server takes 1 for "no bound" and would remove everything.
  if (sequence <= 1) return;
  const purge = { filter: `${subject}.*`, seq: sequence };
  await apiRequest(link, `STREAM.PURGE.${stream}`, purge, z.object({}), `remove old objects of ${subject}`);
}

function sha256(data: Uint8Array): string {
  return createHash('sha256').update(data).digest('hex');
}
