/** MS-TDS 2.2.3.1: a message is cut into packets with a header of eight bytes each. */

/** `Type` of the packets that a client sends, and of the server's answer. */
export const PACKET = {
  batch: 0x01,
  rpc: 0x03,
  answer: 0x04,
  attention: 0x06,
  transaction: 0x0e,
  login: 0x10,
  prelogin: 0x12,
} as const;

const HEADER = 8;
const END_OF_MESSAGE = 0x01;

export interface Message {
  readonly type: number;
  readonly payload: Buffer;
}

/** Puts messages together from what a socket delivers. */
export class MessageReader {
  #rest = Buffer.alloc(0);
  #parts: Buffer[] = [];

  /** The messages that are complete with these bytes. */
  push(bytes: Buffer): readonly Message[] {
    this.#rest = Buffer.concat([this.#rest, bytes]);
    const messages: Message[] = [];
    while (this.#rest.length >= HEADER) {
      const type = this.#rest.readUInt8(0);
      const status = this.#rest.readUInt8(1);
      const length = this.#rest.readUInt16BE(2);
      if (length < HEADER) throw new Error(`a packet of ${length} bytes`);
      if (this.#rest.length < length) break;
      this.#parts.push(this.#rest.subarray(HEADER, length));
      this.#rest = this.#rest.subarray(length);
      if ((status & END_OF_MESSAGE) === 0) continue;
      messages.push({ type, payload: Buffer.concat(this.#parts) });
      this.#parts = [];
    }
    return messages;
  }
}

/** The packets of one message; `size` is what was agreed at login. */
export function packets(type: number, payload: Buffer, size: number): Buffer {
  const room = size - HEADER;
  const parts: Buffer[] = [];
  let number = 1;
  for (let start = 0; start === 0 || start < payload.length; start += room) {
    const content = payload.subarray(start, start + room);
    const header = Buffer.alloc(HEADER);
    header.writeUInt8(type, 0);
    header.writeUInt8(start + room >= payload.length ? END_OF_MESSAGE : 0, 1);
    header.writeUInt16BE(HEADER + content.length, 2);
    header.writeUInt8(number % 256, 6);
    parts.push(header, content);
    number += 1;
  }
  return Buffer.concat(parts);
}
