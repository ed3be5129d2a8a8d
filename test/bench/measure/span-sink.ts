import { once } from 'node:events';
import { createServer } from 'node:http';

/** Takes spans as a collector would, and forgets them. */
export interface SpanSink {
  readonly url: string;
  stop(): Promise<void>;
}

export async function startSpanSink(): Promise<SpanSink> {
  const server = createServer((request, response) => {
    request.resume();
    request.on('end', () => response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the span sink has no port');
  return {
    url: `http://127.0.0.1:${address.port}`,
    stop: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
