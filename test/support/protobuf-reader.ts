/** One field of a protobuf message: its number and its value, by wire type (varint, fixed 64, fixed 32 as bigint; else bytes). */
export interface ProtobufField {
  readonly field: number;
  readonly value: bigint | Uint8Array;
}

/** Reads the fields of one protobuf message, in order. Throws a RangeError when the bytes end too early. */
export function readProtobuf(bytes: Uint8Array): readonly ProtobufField[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const fields: ProtobufField[] = [];
  let at = 0;

  const varint = (): bigint => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = view.getUint8(at);
      at += 1;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return BigInt.asUintN(64, value);
    }
  };

  while (at < bytes.byteLength) {
    const tag = Number(varint());
    const field = tag >>> 3;
    switch (tag & 7) {
      case 0:
        fields.push({ field, value: varint() });
        break;
      case 1:
        fields.push({ field, value: view.getBigUint64(at, true) });
        at += 8;
        break;
      case 2: {
        const length = Number(varint());
        if (at + length > bytes.byteLength) throw new RangeError(`field ${field} is longer than the message`);
        fields.push({ field, value: bytes.subarray(at, at + length) });
        at += length;
        break;
      }
      case 5:
        fields.push({ field, value: BigInt(view.getUint32(at, true)) });
        at += 4;
        break;
      default:
        throw new RangeError(`wire type ${tag & 7} of field ${field} is unknown`);
    }
  }
  return fields;
}

/** The values of a length-delimited field, in order. */
export function bytesOf(fields: readonly ProtobufField[], field: number): readonly Uint8Array[] {
  return fields.flatMap((one) => (one.field === field && one.value instanceof Uint8Array ? [one.value] : []));
}

/** The last text of a field, or `''`. */
export function textOf(fields: readonly ProtobufField[], field: number): string {
  const bytes = bytesOf(fields, field).at(-1);
  return bytes === undefined ? '' : Buffer.from(bytes).toString('utf8');
}

/** The last number of a field, or 0. */
export function numberOf(fields: readonly ProtobufField[], field: number): bigint {
  const value = fields.findLast((one) => one.field === field && typeof one.value === 'bigint')?.value;
  return typeof value === 'bigint' ? value : 0n;
}
