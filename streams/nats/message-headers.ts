import { headers as emptyHeaders, type MsgHdrs } from '@nats-io/nats-core';
import type { MessageHeaders } from './contract.ts';

/** The first value of each header, names as they came. */
export function readHeaders(headers: MsgHdrs | undefined): MessageHeaders {
  const record: Record<string, string> = Object.create(null);
  // Asking the client for one header goes through all of them.
  for (const [name, [value = '']] of headers ?? []) record[name] = value;
  return record;
}

/** Headers for the wire. A line break in a value would start a header of its own, so it becomes a blank. */
export function writeHeaders(record: MessageHeaders): MsgHdrs {
  const headers = emptyHeaders();
  for (const [name, value] of Object.entries(record)) headers.append(name, value.replace(/[\r\n]+/g, ' '));
  return headers;
}

/** `NATS/1.0` and the two line ends around the header lines. */
const FRAME_BYTES = 12;

/** Bytes that the headers take on the wire. */
export function headerBytes(record: MessageHeaders): number {
  let bytes = 0;
  for (const name in record) bytes += Buffer.byteLength(name) + Buffer.byteLength(record[name] ?? '') + 4;
  return bytes === 0 ? 0 : bytes + FRAME_BYTES;
}
