import { ByteReader } from './mssql-bytes.ts';

/** MS-TDS 2.2.6.5 PRELOGIN: options by number. */
export function decodePrelogin(payload: Buffer): ReadonlyMap<number, Buffer> {
  const options = new Map<number, Buffer>();
  for (let at = 0; payload.readUInt8(at) !== 0xff; at += 5) {
    const offset = payload.readUInt16BE(at + 1);
    options.set(payload.readUInt8(at), payload.subarray(offset, offset + payload.readUInt16BE(at + 3)));
  }
  return options;
}

/** What a LOGIN7 message (MS-TDS 2.2.6.4) says about who comes. */
export interface LoginRequest {
  readonly tdsVersion: number;
  readonly packetSize: number;
  readonly hostName: string;
  readonly userName: string;
  readonly password: string;
  readonly appName: string;
  readonly serverName: string;
  readonly library: string;
  readonly database: string;
}

export function decodeLogin(payload: Buffer): LoginRequest {
  if (payload.readUInt32LE(0) !== payload.length) throw new Error('LOGIN7 has another length than it says');
  const part = (at: number): Buffer => {
    const offset = payload.readUInt16LE(at);
    return payload.subarray(offset, offset + 2 * payload.readUInt16LE(at + 2));
  };
  const text = (at: number) => part(at).toString('utf16le');
  // Half bytes swapped, then XOR 0xA5: obscured, not encrypted.
  const password = Buffer.from(part(44).map((byte) => swapHalves(byte ^ 0xa5))).toString('utf16le');
  return {
    tdsVersion: payload.readUInt32LE(4),
    packetSize: payload.readUInt32LE(8),
    hostName: text(36),
    userName: text(40),
    password,
    appName: text(48),
    serverName: text(52),
    library: text(60),
    database: text(68),
  };
}

function swapHalves(byte: number): number {
  return ((byte << 4) & 0xf0) | (byte >> 4);
}

/** MS-TDS 2.2.5.3 ALL_HEADERS; only the transaction descriptor is of interest. */
function skipHeaders(reader: ByteReader): void {
  const length = reader.u32();
  reader.take(length - 4);
}

/** The text of a SQL batch. */
export function decodeBatch(payload: Buffer): string {
  const reader = new ByteReader(payload);
  skipHeaders(reader);
  return reader.text((payload.length - reader.at) / 2);
}

export type TransactionRequest = 'begin' | 'commit' | 'rollback';

export function decodeTransactionRequest(payload: Buffer): TransactionRequest {
  const reader = new ByteReader(payload);
  skipHeaders(reader);
  const type = reader.u16();
  const request = { 5: 'begin', 7: 'commit', 8: 'rollback' } as const;
  if (type === 5 || type === 7 || type === 8) return request[type];
  throw new Error(`transaction manager request ${type}`);
}

export interface RpcParameter {
  readonly name: string;
  /** `nvarchar(max)` cannot become a sql_variant. */
  readonly isMax: boolean;
  readonly value: string | number | null;
}

export interface RpcRequest {
  /** A number is one of the well-known procedures: 10 is sp_executesql. */
  readonly procedure: string | number;
  readonly parameters: readonly RpcParameter[];
}

/** MS-TDS 2.2.6.6, for the types that statements of ours bind. */
export function decodeRpc(payload: Buffer): RpcRequest {
  const reader = new ByteReader(payload);
  skipHeaders(reader);
  const length = reader.u16();
  const procedure = length === 0xffff ? reader.u16() : reader.text(length);
  reader.u16();
  const parameters: RpcParameter[] = [];
  while (!reader.done) {
    const name = reader.text(reader.u8());
    reader.u8();
    parameters.push({ name, ...readValue(reader) });
  }
  return { procedure, parameters };
}

function readValue(reader: ByteReader): Pick<RpcParameter, 'isMax' | 'value'> {
  const type = reader.u8();
  if (type === 0x26) {
    reader.u8();
    const length = reader.u8();
    if (length !== 0 && length !== 4) throw new Error(`an integer of ${length} bytes`);
    return { isMax: false, value: length === 0 ? null : reader.i32() };
  }
  if (type !== 0xe7) throw new Error(`a parameter of type 0x${type.toString(16)}`);
  const maximum = reader.u16();
  reader.take(5);
  if (maximum === 0xffff) return { isMax: true, value: readChunks(reader) };
  const length = reader.u16();
  return { isMax: false, value: length === 0xffff ? null : reader.take(length).toString('utf16le') };
}

/** Partially length-prefixed: a length of eight bytes (all ones: NULL), then chunks up to an empty one. */
function readChunks(reader: ByteReader): string | null {
  const length = reader.take(8).readBigUInt64LE(0);
  if (length === 0xffff_ffff_ffff_ffffn) return null;
  const parts: Buffer[] = [];
  for (let size = reader.u32(); size !== 0; size = reader.u32()) parts.push(reader.take(size));
  return Buffer.concat(parts).toString('utf16le');
}
