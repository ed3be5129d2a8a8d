import { createServer, type Socket } from 'node:net';

/** Something that stands where a listener should, as far as a driver meets it before it logs in. */
export interface OracleListener {
  readonly port: number;
  /** What the drivers said when they connected: connect descriptors. */
  readonly connects: readonly string[];
  stop(): Promise<void>;
}

const CONNECT = 1;
const REFUSE = 4;
const HEADER = 8;

/** Answers to a CONNECT packet. */
export type Answer = { readonly refuse: number } | 'hang up' | 'say nothing' | 'talk HTTP';

/** Listens on 127.0.0.1 with the framing of Oracle's network protocol: length, checksum, type, flags, header checksum. */
export async function startOracleListener(answer: Answer): Promise<OracleListener> {
  const connects: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => sockets.delete(socket));
    let received = Buffer.alloc(0);
    socket.on('data', (data) => {
      received = Buffer.concat([received, data]);
      if (received.length < HEADER || received.readUInt8(4) !== CONNECT) {
        if (answer === 'talk HTTP') socket.end('HTTP/1.1 400 Bad Request\r\n\r\n');
        return;
      }
      const descriptor = /\(DESCRIPTION=.*\)/s.exec(received.toString('latin1'))?.[0];
      if (descriptor === undefined) return;
      connects.push(descriptor);
      received = Buffer.alloc(0);
      if (answer === 'hang up') socket.destroy();
      else if (answer === 'talk HTTP') socket.end('HTTP/1.1 400 Bad Request\r\n\r\n');
      else if (answer !== 'say nothing') socket.end(refusal(answer.refuse));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return {
    port: address.port,
    connects,
    async stop() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** User reason, system reason, length and text of a refusal. */
function refusal(number: number): Buffer {
  const text = Buffer.from(
    `(DESCRIPTION=(TMP=)(VSNNUM=0)(ERR=${number})(ERROR_STACK=(ERROR=(CODE=${number})(EMFI=4))))`,
  );
  const packet = Buffer.alloc(HEADER + 4 + text.length);
  packet.writeUInt16BE(packet.length, 0);
  packet.writeUInt8(REFUSE, 4);
  packet.writeUInt8(34, HEADER);
  packet.writeUInt16BE(text.length, HEADER + 2);
  text.copy(packet, HEADER + 4);
  return packet;
}
