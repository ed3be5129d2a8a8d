import { describe, expect, it } from 'vitest';
import { SyntaxProblem } from '../support/mssql-lexer.ts';
import { MessageReader, packets } from '../support/mssql-packets.ts';
import { parseBatch } from '../support/mssql-parser.ts';
import { decodeBatch, decodeLogin, decodePrelogin, decodeRpc } from '../support/mssql-requests.ts';
import * as token from '../support/mssql-tokens.ts';

/** Byte sequences as the examples of the protocol's public description (MS-TDS, section 4) show them. */
const GOLDEN = {
  prelogin: '1201002F0000010000001A00060100200001020021000103002200040400260001FF090000000000010 0B80D000001',
  login: `10010090 00000100 88000000 02000972 00100000 00000007 00010000 00000000 E0030000 00000000 09040000
    5E000800 6E000200 72000000 72000700 80000000 80000000 80000400 88000000 88000000 00508BE2B78F 88000000 88000000
    88000000 00000000 73006B006F00730074006F0076003100 73006100 4F00530051004C002D0033003200 4F00440042004300`,
  databaseChange: 'E31B0001 066D0061007300740065007200 066D0061007300740065007200',
  loginAck: `AD3600 01 72090002 16 4D006900630072006F0073006F0066007400 2000530051004C00 20005300650072007600650072000000
    0000 00000000`,
  packetSizeChange: 'E3130004 043400300039003600 043400300039003600',
  loginDone: 'FD0000 0000 0000000000000000',
  batch: `0101005C 00000100 16000000 12000000 0200 0000000000000001 00000000 0A00730065006C0065006300740020002700
    66006F006F0027002000610073002000270062006100720027000A0020002000200020002000200020002000`,
  batchAnswer: `04010033 00000100 81 0100 00000000 2000 A7 0300 0904D00034 03 620061007200 D1 0300 666F6F
    FD 1000 C100 0100000000000000`,
  rpc: '0301002F 00000100 16000000 12000000 0200 0000000000000001 00000000 0400 66006F006F003300 0000 00 02 26 02 00',
  rpcAnswer: '04010027 00000100 FF 1100 C100 0100000000000000 79 00000000 FE 0000 E000 0000000000000000',
} as const;

function bytes(name: keyof typeof GOLDEN): Buffer {
  return Buffer.from(GOLDEN[name].replaceAll(/\s/g, ''), 'hex');
}

function payload(name: keyof typeof GOLDEN): Buffer {
  const [message, ...more] = new MessageReader().push(bytes(name));
  if (message === undefined || more.length > 0) throw new Error('not one message');
  return message.payload;
}

describe('the TDS peer against documented bytes', () => {
  it('reads the request before the login', () => {
    const options = decodePrelogin(payload('prelogin'));
    expect([...options.keys()]).toEqual([0, 1, 2, 3, 4]);
    expect(options.get(0)?.toString('hex')).toBe('090000000000');
    expect(options.get(1)?.toString('hex')).toBe('01');
    expect(options.get(3)?.toString('hex')).toBe('b80d0000');
    expect(options.get(4)?.toString('hex')).toBe('01');
  });

  it('reads the login', () => {
    expect(decodeLogin(payload('login'))).toEqual({
      tdsVersion: 0x72090002,
      packetSize: 4096,
      hostName: 'skostov1',
      userName: 'sa',
      password: '',
      appName: 'OSQL-32',
      serverName: '',
      library: 'ODBC',
      database: '',
    });
  });

  it('writes the tokens of the answer to a login', () => {
    expect(token.textChange(1, 'master', 'master')).toEqual(bytes('databaseChange'));
    const ack = token.loginAck(Buffer.from('72090002', 'hex'), 'Microsoft SQL Server\0\0', [0, 0, 0, 0]);
    expect(ack.toString('hex')).toBe(bytes('loginAck').toString('hex'));
    expect(token.textChange(4, '4096', '4096')).toEqual(bytes('packetSizeChange'));
    expect(token.done('done', token.DONE.final)).toEqual(bytes('loginDone'));
  });

  it('reads a batch', () => {
    expect(decodeBatch(payload('batch'))).toBe("\nselect 'foo' as 'bar'\n        ");
  });

  it('writes the answer to a batch', () => {
    const columns = [{ name: 'bar', type: { varchar: 3 }, flags: 0x20 }] as const;
    const answer = Buffer.concat([
      token.columnMetadata(columns),
      token.row(columns, ['foo']),
      token.done('done', token.DONE.count, 0xc1, 1),
    ]);
    expect(packets(4, answer, 4096).toString('hex').slice(0, 8)).toBe('04010033');
    expect(answer.toString('hex')).toBe(payload('batchAnswer').toString('hex'));
  });

  it('reads a call and writes the answer to it', () => {
    const request = bytes('rpc');
    expect(request.readUInt16BE(2)).toBe(request.length);
    expect(decodeRpc(payload('rpc'))).toMatchObject({ procedure: 'foo3', parameters: [{ name: '', value: null }] });
    const answer = Buffer.concat([
      token.done('inProcedure', token.DONE.count | token.DONE.more, 0xc1, 1),
      token.returnStatus(0),
      token.done('procedure', token.DONE.final, 0xe0),
    ]);
    expect(answer.toString('hex')).toBe(payload('rpcAnswer').toString('hex'));
  });

  it('puts a message together from packets and pieces of packets, and cuts one', () => {
    const content = Buffer.from(Array.from({ length: 1000 }, (_, index) => index % 251));
    const cut = packets(1, content, 100);
    expect(cut.readUInt16BE(2)).toBe(100);
    const reader = new MessageReader();
    const messages = [...cut].flatMap((byte) => reader.push(Buffer.from([byte])));
    expect(messages).toEqual([{ type: 1, payload: content }]);
  });
});

describe("the peer's Transact-SQL", () => {
  it.each([
    "EXEC sys.sp_dropextendedproperty @name = N'a' DROP TABLE canary",
    "EXEC sys.sp_addextendedproperty @name = N'a', @value = N'b' + N'c'",
    "EXEC sys.sp_addextendedproperty @name = N'a', @value = N'open",
    "EXEC sys.sp_addextendedproperty N'a', N'b'",
    "EXEC('SELECT 1 AS one')",
    'ALTER AUTHORIZATION ON OBJECT::[a].[b] TO [x], [y]',
    'ALTER AUTHORIZATION ON OBJECT::[a]].[b] TO [x]',
    'ALTER TABLE a DROP COLUMN b',
    "ADD SENSITIVITY CLASSIFICATION TO a.b.c WITH (LABEL = 'x', LABEL = 'y')",
    'SELECT a.b AS c FROM sys.objects AS a, sys.schemas AS s',
    'SELECT 1',
    '/* /* */ SELECT 1 AS one',
    `SELECT 1 AS [${'x'.repeat(129)}]`,
    'SET NOCOUNT ON',
  ])('takes nothing but what it knows: %s', (source) => {
    expect(() => parseBatch(source)).toThrow(SyntaxProblem);
  });

  it.each([
    ["N'it''s'", "it's"],
    ["'it''s ʼ'", "it's '"],
    ["'\u05d0😀é'", '??é'],
    ["N'a\\\nb'", 'ab'],
    ["N'a\\\r\nb'", 'ab'],
    ["N'a\\\\\r\n\nb'", 'a\\\nb'],
    ["N'\\'", '\\'],
    ['[a]]b]', 'a]b'],
    ['"a""b"', 'a"b'],
  ])('reads %j as the engine does', (written, meant) => {
    const [statement] = parseBatch(`EXEC sys.sp_dropextendedproperty @name = ${written} -- c`);
    expect(statement).toMatchObject({ args: [{ name: '@name', value: { kind: 'text', value: meant } }] });
  });
});
