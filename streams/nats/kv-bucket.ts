import type { NatsLink } from './connection.ts';
import type { MessageHeaders } from './contract.ts';
import { writeHeaders } from './message-headers.ts';
import { readPubAck } from './pub-ack.ts';
import { getLastFromLeader } from './stored-messages.ts';
import { StreamError, toStreamError } from './stream-error.ts';

const TIMEOUT_MS = 5_000;
const EXPECTED = 'Nats-Expected-Last-Subject-Sequence';
const OPERATION = 'KV-Operation';

export interface KvEntry {
  readonly key: string;
  readonly value: string;
  /** Stream sequence of this value: what the next compare-and-set has to name. */
  readonly revision: number;
  /** When it was written, epoch milliseconds on the server's clock. */
  readonly time: number;
}

/**
 * A key-value bucket with compare-and-set. Reads come from the leader, so they see every write that was confirmed.
 * Writes throw `conflict` when somebody else wrote first, and `timeout` when it is unknown whether they were stored.
 */
export interface KvBucket {
  get(key: string, timeoutMs?: number): Promise<KvEntry | undefined>;
  /** Stores a key that must not exist; the answer is its revision. */
  create(key: string, value: string, timeoutMs?: number): Promise<number>;
  update(key: string, value: string, revision: number, timeoutMs?: number): Promise<number>;
  put(key: string, value: string): Promise<number>;
  remove(key: string): Promise<void>;
  /** All entries whose keys match the filter (`*` and `>` as in subjects), as they stand; meant for small buckets. */
  entries(filter: string): Promise<readonly KvEntry[]>;
}

export function openBucket(link: NatsLink, bucket: string): KvBucket {
  const subjectOf = (key: string) => `$KV.${bucket}.${checkedKey(key)}`;

  const write = async (key: string, value: string, headers: MessageHeaders, timeout = TIMEOUT_MS): Promise<number> => {
    const subject = subjectOf(key);
    const options = { timeout, headers: writeHeaders(headers) };
    const answer = await link.nc.request(subject, value, options).catch((error: unknown) => {
      throw toStreamError(error, `write ${key} to ${bucket}`);
    });
    const receipt = readPubAck(answer.string(), subject);
    if (receipt instanceof StreamError) throw receipt;
    return receipt.sequence;
  };
  const read = (key: string, timeoutMs = TIMEOUT_MS) =>
    getLastFromLeader(link, `KV_${bucket}`, subjectOf(key), { timeoutMs });

  const get = async (key: string, timeoutMs?: number): Promise<KvEntry | undefined> => {
    const message = await read(key, timeoutMs);
    if (message === undefined || isRemoval(message.headers)) return undefined;
    return { key, value: Buffer.from(message.data).toString('utf8'), revision: message.sequence, time: message.time };
  };

  return {
    get,
    entries: async (filter) => {
      // The keys first and then each key's last value: an entry that is written meanwhile must not be missed.
      const prefix = `$KV.${bucket}.`;
      const info = await link.jsm.streams
        .info(`KV_${bucket}`, { subjects_filter: `${prefix}${filter}` })
        .catch((error: unknown) => {
          throw toStreamError(error, `list the keys of ${bucket}`);
        });
      const keys = Object.keys(info.state.subjects ?? {}).map((subject) => subject.slice(prefix.length));
      const found = await Promise.all(keys.map((key) => get(key)));
      return found.filter((entry) => entry !== undefined);
    },
    create: async (key, value, timeoutMs) => {
      try {
        return await write(key, value, { [EXPECTED]: '0' }, timeoutMs);
      } catch (error) {
        if (!(error instanceof StreamError) || error.code !== 'conflict') throw error;
        // A removed key leaves a mark behind, which a new value has to follow.
        const last = await read(key, timeoutMs);
        if (last === undefined || !isRemoval(last.headers)) throw error;
        return write(key, value, { [EXPECTED]: String(last.sequence) }, timeoutMs);
      }
    },
    update: (key, value, revision, timeoutMs) => write(key, value, { [EXPECTED]: String(revision) }, timeoutMs),
    put: (key, value) => write(key, value, {}),
    remove: async (key) => {
      await write(key, '', { [OPERATION]: 'DEL' });
    },
  };
}

/** Whether a message of a bucket's stream says that the key is gone. */
function isRemoval(headers: MessageHeaders): boolean {
  return headers[OPERATION] === 'DEL' || headers[OPERATION] === 'PURGE';
}

function checkedKey(key: string): string {
  if (/^[-/_=a-zA-Z0-9]+(\.[-/_=a-zA-Z0-9]+)*$/.test(key)) return key;
  throw new StreamError(
    'rejected',
    `Not a key for NATS: ${JSON.stringify(key)}; names have to be encoded (encodeToken)`,
  );
}
