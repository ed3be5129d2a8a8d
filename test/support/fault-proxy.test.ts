import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type FaultProxy, startFaultProxy } from './fault-proxy.ts';
import { until } from './until.ts';

let server: Server;
let accepted: Socket[];
let received: string;
let proxy: FaultProxy;

beforeEach(async () => {
  accepted = [];
  received = '';
  server = createServer({ allowHalfOpen: true }, (socket) => {
    accepted.push(socket);
    socket.on('error', () => undefined);
    socket.on('data', (data) => {
      received += data.toString();
      socket.write(`<${data.toString()}>`);
    });
    socket.on('end', () => {
      received += '.';
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = address === null || typeof address === 'string' ? 0 : address.port;
  proxy = await startFaultProxy(() => ({ port }));
});

afterEach(async () => {
  await proxy.close();
  for (const socket of accepted) socket.destroy();
  server.close();
});

/** A client whose answers and end are collected. */
async function client() {
  const socket = connect({ host: '127.0.0.1', port: proxy.port, allowHalfOpen: true });
  const seen = { text: '', ended: false, closed: false };
  socket.on('error', () => undefined);
  socket.on('data', (data) => {
    seen.text += data.toString();
  });
  socket.on('end', () => {
    seen.ended = true;
  });
  socket.on('close', () => {
    seen.closed = true;
  });
  await once(socket, 'connect');
  return { socket, seen };
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

describe('the fault proxy', () => {
  it('passes both directions and the end of each', async () => {
    const { socket, seen } = await client();
    socket.write('one');
    await until(() => seen.text === '<one>');
    socket.end();
    await until(() => received === 'one.');
    expect(seen.ended).toBe(false);
    accepted[0]?.end();
    await until(() => seen.closed && proxy.connections === 0);
  });

  it('resets all connections and takes new ones', async () => {
    const first = await client();
    first.socket.write('one');
    await until(() => first.seen.text === '<one>');
    proxy.cutAll();
    await until(() => first.seen.closed && proxy.connections === 0);
    const second = await client();
    second.socket.write('two');
    await until(() => second.seen.text === '<two>');
  });

  it('delays, and keeps the order when the delay ends', async () => {
    const { socket, seen } = await client();
    proxy.set({ kind: 'delay', ms: 60_000 });
    socket.write('one');
    await pause(50);
    expect(received).toBe('');
    proxy.set({ kind: 'pass' });
    socket.write('two');
    await until(() => received === 'onetwo');
    await until(() => seen.text !== '');
  });

  it('throttles: a part comes, the rest does not', async () => {
    const { socket } = await client();
    proxy.set({ kind: 'throttle', bytesPerSecond: 100 });
    socket.write('0123456789');
    await until(() => received === '0123456789');
    socket.write('x'.repeat(1_000_000));
    await pause(50);
    expect(received).toBe('0123456789');
  });

  it('holds everything back while it stalls, the end included, and then passes it on', async () => {
    const { socket, seen } = await client();
    proxy.set({ kind: 'stall' });
    socket.write('one');
    socket.end();
    await pause(50);
    expect(received).toBe('');
    proxy.set({ kind: 'pass' });
    await until(() => received === 'one.');
    await until(() => seen.text === '<one>');
  });

  it('passes on what was sent before a client died in a stall', async () => {
    const { socket } = await client();
    proxy.set({ kind: 'stall' });
    socket.write('one');
    await pause(50);
    socket.resetAndDestroy();
    await pause(50);
    proxy.set({ kind: 'pass' });
    await until(() => received === 'one' && proxy.connections === 0);
  });

  it('swallows what is sent into a black hole, and resets what has a hole when it is over', async () => {
    const before = await client();
    const quiet = await client();
    proxy.set({ kind: 'black-hole' });
    const fresh = await client();
    before.socket.write('one');
    fresh.socket.write('two');
    await pause(50);
    expect(received).toBe('');
    expect(before.seen.closed).toBe(false);
    proxy.set({ kind: 'pass' });
    await until(() => before.seen.closed && fresh.seen.closed);
    quiet.socket.write('three');
    await until(() => quiet.seen.text === '<three>');
    expect(received).toBe('three');
  });

  it('half-closes towards one side and leaves the other direction open', async () => {
    const { socket, seen } = await client();
    socket.write('one');
    await until(() => seen.text === '<one>');
    proxy.halfClose('client');
    await until(() => seen.ended);
    socket.write('two');
    await until(() => received === 'onetwo');
    proxy.halfClose('server');
    await until(() => received === 'onetwo.');
  });
});
