import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { connectNats, type NatsLink } from '../../streams/nats/connection.ts';
import { StreamError } from '../../streams/nats/stream-error.ts';
import { ensureTopology } from '../../streams/nats/topology.ts';
import { dataDir, natsEnvironment } from './environment.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** Where a command finds NATS. */
export interface NatsAddress {
  readonly url: string;
  /** The file that `serve` left it in; undefined: it came from `NATS_URL`. */
  readonly file?: string;
}

/** `NATS_URL`, else what a running `serve` with a server of its own wrote down. Throws `StreamError` cannot-connect. */
export async function findNats(env: Env): Promise<NatsAddress> {
  const { url } = natsEnvironment(env);
  if (url !== undefined) return { url };
  const file = join(dataDir(env), 'nats.url');
  const text = await readFile(file, 'utf8').catch(() => '');
  if (text.trim() !== '') return { url: text.trim(), file };
  throw new StreamError(
    'cannot-connect',
    `No NATS to talk to: NATS_URL is not set, and there is no ${file}. Set NATS_URL, or start "backflow serve" in this folder (it leaves its address there).`,
  );
}

/**
 * Runs something over a connection of its own and closes it afterwards. `write`: streams and buckets that are missing are made;
 * a command that only reads leaves a server that Backflow never ran on as it is.
 */
export async function withNats<T>(
  access: 'read' | 'write',
  use: (link: NatsLink) => Promise<T>,
  env: Env = process.env,
): Promise<T> {
  const address = await findNats(env);
  const { credsFile, tls } = natsEnvironment(env);
  const link = await connectNats({
    servers: address.url,
    name: 'backflow cli',
    ...(credsFile === undefined ? {} : { credsFile }),
    ...(tls === undefined ? {} : { tls }),
  }).catch((error: unknown) => {
    if (!(error instanceof StreamError) || address.file === undefined) throw error;
    const message = `${error.message}. The address is from ${address.file}; is "backflow serve" still running?`;
    throw new StreamError(error.code, message, { cause: error });
  });
  try {
    if (access === 'write') await ensureTopology(link);
    return await use(link);
  } catch (error) {
    if (access === 'read' && error instanceof StreamError && error.code === 'not-found') {
      const message = `Backflow has not run on this NATS yet (${error.message}). Start "backflow serve", or apply a configuration.`;
      throw new StreamError('not-found', message, { cause: error });
    }
    throw error;
  } finally {
    await link.drain(2_000);
  }
}
