/** Reads a message from its beginning to its end; throws when it is shorter than it says. Numbers are little-endian, as in TDS. */
export class ByteReader {
  readonly #bytes: Buffer;
  at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get done(): boolean {
    return this.at >= this.#bytes.length;
  }

  u8(): number {
    return this.take(1).readUInt8(0);
  }

  u16(): number {
    return this.take(2).readUInt16LE(0);
  }

  u32(): number {
    return this.take(4).readUInt32LE(0);
  }

  i32(): number {
    return this.take(4).readInt32LE(0);
  }

  take(length: number): Buffer {
    const end = this.at + length;
    if (end > this.#bytes.length)
      throw new Error(`the message ends at ${this.#bytes.length}, ${end} bytes were announced`);
    const part = this.#bytes.subarray(this.at, end);
    this.at = end;
    return part;
  }

  /** UTF-16 text of so many units. */
  text(units: number): string {
    return this.take(2 * units).toString('utf16le');
  }
}

export function u8(value: number): Buffer {
  return Buffer.from([value]);
}

export function u16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16LE(value);
  return bytes;
}

export function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

/** B_VARCHAR: the number of UTF-16 units in one byte, then the text. */
export function shortText(text: string): Buffer {
  return Buffer.concat([u8(text.length), Buffer.from(text, 'utf16le')]);
}

/** US_VARCHAR: the number of UTF-16 units in two bytes, then the text. */
export function longText(text: string): Buffer {
  return Buffer.concat([u16(text.length), Buffer.from(text, 'utf16le')]);
}
