import { setTimeout as sleep } from 'node:timers/promises';
import { connectNats, type NatsLink, type NatsOptions } from '../../../streams/nats/connection.ts';
import { ensureTopology } from '../../../streams/nats/topology.ts';
import { type NatsServer, startNatsServer } from '../../support/nats-server.ts';

/** A server with the service's streams, and a link to it; both end with `stop`. */
export interface Fixture {
  readonly server: NatsServer;
  readonly link: NatsLink;
  /** One more connection, as another process would have it. */
  connect(options?: Partial<NatsOptions>): Promise<NatsLink>;
  stop(): Promise<void>;
}

export async function startFixture(): Promise<Fixture> {
  const server = await startNatsServer();
  const links: NatsLink[] = [];
  const connect = async (options: Partial<NatsOptions> = {}) => {
    const link = await connectNats({ servers: server.url, name: 'test', reconnectWaitMs: 20, ...options });
    links.push(link);
    return link;
  };
  const link = await connect();
  await ensureTopology(link, { changesMaxBytes: 50_000_000, outcomesMaxBytes: 50_000_000 });
  return {
    server,
    link,
    connect,
    stop: async () => {
      await Promise.all(links.map((open) => open.close()));
      await server.stop();
    },
  };
}

/** Waits until something holds; the limit is only there to end a test that fails. */
export async function until(holds: () => boolean | Promise<boolean>, what: string, limitMs = 20_000): Promise<void> {
  const deadline = performance.now() + limitMs;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`It did not come about that ${what}`);
    await sleep(10);
  }
}

/** Rests so long that something wrong would have happened: what must not come cannot be waited for otherwise. */
export const restFor = sleep;

export function text(data: Uint8Array): string {
  return Buffer.from(data).toString('utf8');
}
