import { connect } from 'node:net';

/** Sends bytes exactly as given to a port of 127.0.0.1 and gives back everything that comes until the server closes. */
export function rawRequest(port: number, ...parts: readonly (string | Uint8Array)[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    const received: Buffer[] = [];
    socket.on('data', (chunk) => received.push(chunk));
    socket.once('error', reject);
    socket.once('close', () => resolve(Buffer.concat(received).toString('latin1')));
    for (const part of parts) socket.write(part);
  });
}
