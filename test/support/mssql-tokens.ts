import { longText, shortText, u8, u16, u32 } from './mssql-bytes.ts';

/** Latin1_General, case-insensitive, accent-sensitive, as the examples of MS-TDS have it. */
const COLLATION = Buffer.from('0904d00034', 'hex');

export type Value = string | number | null;

/** `varchar` is only for the documented examples; everything of ours is Unicode. */
export interface Column {
  readonly name: string;
  readonly type: 'int' | 'nvarchar' | { readonly varchar: number };
  /** MS-TDS 2.2.7.4; by default: nullable, not updatable. */
  readonly flags?: number;
}

const NULLABLE = 0x0001;
/** Bytes of the longest nvarchar that is not max. */
const NVARCHAR_BYTES = 8000;

export function columnMetadata(columns: readonly Column[]): Buffer {
  const parts = columns.map(({ name, type, flags = NULLABLE }) =>
    Buffer.concat([u32(0), u16(flags), typeInfo(type), shortText(name)]),
  );
  return Buffer.concat([u8(0x81), u16(columns.length), ...parts]);
}

function typeInfo(type: Column['type']): Buffer {
  if (type === 'int') return Buffer.from([0x26, 4]);
  if (type === 'nvarchar') return Buffer.concat([u8(0xe7), u16(NVARCHAR_BYTES), COLLATION]);
  return Buffer.concat([u8(0xa7), u16(type.varchar), COLLATION]);
}

export function row(columns: readonly Column[], values: readonly Value[]): Buffer {
  const parts = columns.map(({ type }, index) => encodeValue(type, values[index] ?? null));
  return Buffer.concat([u8(0xd1), ...parts]);
}

function encodeValue(type: Column['type'], value: Value): Buffer {
  if (type === 'int') {
    if (value === null) return u8(0);
    const bytes = Buffer.alloc(4);
    bytes.writeInt32LE(Number(value));
    return Buffer.concat([u8(4), bytes]);
  }
  if (value === null) return u16(0xffff);
  const bytes = Buffer.from(String(value), type === 'nvarchar' ? 'utf16le' : 'latin1');
  return Buffer.concat([u16(bytes.length), bytes]);
}

/** Bits of the status of DONE tokens (MS-TDS 2.2.7.6). */
export const DONE = { final: 0x00, more: 0x01, error: 0x02, count: 0x10, attention: 0x20 } as const;

const DONE_TOKENS = { done: 0xfd, inProcedure: 0xff, procedure: 0xfe } as const;

export function done(token: keyof typeof DONE_TOKENS, status: number, command = 0, count = 0): Buffer {
  return Buffer.concat([u8(DONE_TOKENS[token]), u16(status), u16(command), u32(count), u32(0)]);
}

export function returnStatus(value: number): Buffer {
  return Buffer.concat([u8(0x79), u32(value)]);
}

/** What the server says went wrong; `severity` 11–16 is the statement's fault, 20 and more ends the connection. */
export interface ServerError {
  readonly number: number;
  readonly message: string;
  readonly severity?: number;
}

export function errorToken({ number, message, severity = 16 }: ServerError): Buffer {
  const body = Buffer.concat([
    u32(number),
    u8(1),
    u8(severity),
    longText(message),
    shortText('peer'),
    shortText(''),
    u32(1),
  ]);
  return Buffer.concat([u8(0xaa), u16(body.length), body]);
}

/** ENVCHANGE of a text: 1 database, 4 packet size. */
export function textChange(type: 1 | 4, next: string, former: string): Buffer {
  const body = Buffer.concat([u8(type), shortText(next), shortText(former)]);
  return Buffer.concat([u8(0xe3), u16(body.length), body]);
}

/** ENVCHANGE of a transaction: 8 begun, 9 committed, 10 rolled back. */
export function transactionChange(type: 8 | 9 | 10, descriptor: Buffer): Buffer {
  const value = Buffer.concat([u8(descriptor.length), descriptor]);
  const body = type === 8 ? Buffer.concat([u8(8), value, u8(0)]) : Buffer.concat([u8(type), u8(0), value]);
  return Buffer.concat([u8(0xe3), u16(body.length), body]);
}

/** `tdsVersion` as its four bytes stand in the message; `version`: major, minor, build in two bytes. */
export function loginAck(tdsVersion: Buffer, program: string, version: readonly number[]): Buffer {
  const body = Buffer.concat([u8(1), tdsVersion, shortText(program), Buffer.from(version)]);
  return Buffer.concat([u8(0xad), u16(body.length), body]);
}

/** PRELOGIN answer: version, encryption (2: there is none), instance right, no thread, no MARS. */
export function preloginAnswer(version: readonly number[], encryption: number): Buffer {
  const options: readonly (readonly [number, Buffer])[] = [
    [0, Buffer.from([...version, 0, 0])],
    [1, u8(encryption)],
    [2, u8(0)],
    [3, Buffer.alloc(0)],
    [4, u8(0)],
  ];
  const heads: Buffer[] = [];
  let offset = options.length * 5 + 1;
  for (const [option, data] of options) {
    const head = Buffer.alloc(5);
    head.writeUInt8(option, 0);
    head.writeUInt16BE(offset, 1);
    head.writeUInt16BE(data.length, 3);
    heads.push(head);
    offset += data.length;
  }
  return Buffer.concat([...heads, u8(0xff), ...options.map(([, data]) => data)]);
}
