import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { StoredObject } from '../../src/domain/stored-object.ts';
import { apiRequest } from './api-request.ts';
import type { NatsLink } from './connection.ts';
import type { MessageHeaders, Publisher, PublishReceipt } from './contract.ts';
import { getBySequence } from './stored-messages.ts';

/** Bytes of a message kept free for its headers. */
const HEADER_ROOM = 1_024;
/** Larger parts would only make the server's buffers larger. */
const MAX_PART = 1024 * 1024;
/** Parts that wait for their confirmation at once. */
const AT_ONCE = 8;

export interface ObjectToPut {
  /** The parts lie on `<subject>.<number>`, counted from 0. */
  readonly subject: string;
  /** The whole, or its pieces in order, which are then made only as they are sent. */
  readonly data: Uint8Array | Iterable<Uint8Array>;
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
  const hash = createHash('sha256');
  const receipts: Promise<PublishReceipt>[] = [];
  let bytes = 0;
  for (const part of repacked(data instanceof Uint8Array ? [data] : data, size)) {
    await receipts[receipts.length - AT_ONCE];
    hash.update(part);
    bytes += part.length;
    const receipt = publisher.publish(`${subject}.${receipts.length}`, part, {
      msgId: `${id}.${receipts.length}`,
      ...(headers === undefined ? {} : { headers }),
      ...(giveUpAfterMs === undefined ? {} : { giveUpAfterMs }),
    });
    // Whichever fails first is told; the others must not fail unheard.
    receipt.catch(() => undefined);
    receipts.push(receipt);
  }
  const sequences = (await Promise.all(receipts)).map(({ sequence }) => sequence);
  return { sequences, bytes, sha256: hash.digest('hex') };
}

/** The same bytes in parts of one size, the last one shorter; at least one part. */
function* repacked(pieces: Iterable<Uint8Array>, size: number): Generator<Uint8Array> {
  let waiting: Uint8Array[] = [];
  let bytes = 0;
  let none = true;
  for (const piece of pieces) {
    for (let from = 0; from < piece.length; ) {
      const taken = piece.subarray(from, from + size - bytes);
      waiting.push(taken);
      bytes += taken.length;
      from += taken.length;
      if (bytes < size) continue;
      none = false;
      yield joined(waiting);
      waiting = [];
      bytes = 0;
    }
  }
  if (bytes > 0 || none) yield joined(waiting);
}

function joined(pieces: readonly Uint8Array[]): Uint8Array {
  const [only] = pieces;
  return pieces.length === 1 && only !== undefined ? only : Buffer.concat(pieces);
}

/** The value as it was stored; undefined when a part is gone, or what stands there is something else. Errors: `StreamError`. */
export async function getObject(
  link: NatsLink,
  stream: string,
  { sequences, bytes, sha256: wanted }: StoredObject,
): Promise<Uint8Array | undefined> {
  const data = Buffer.alloc(bytes);
  let filled = 0;
  for (const sequence of sequences) {
    const part = await getBySequence(link, stream, sequence);
    if (part === undefined || filled + part.data.length > bytes) return undefined;
    data.set(part.data, filled);
    filled += part.data.length;
  }
  return filled === bytes && sha256(data) === wanted ? data : undefined;
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
