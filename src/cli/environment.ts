import { addressProblem } from '../../streams/nats/server-address.ts';
import { UsageError } from './exit.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** Where the service listens: `BACKFLOW_HTTP` as `host:port`, default `127.0.0.1:8085`. */
export function httpAddress(env: Env): { readonly host: string; readonly port: number } {
  const text = env.BACKFLOW_HTTP?.trim() || '127.0.0.1:8085';
  const match = /^(?:\[([^\]]+)\]|([^:]+)):(\d{1,5})$/.exec(text);
  const port = Number(match?.[3]);
  const host = match?.[1] ?? match?.[2];
  if (host === undefined || !(port <= 65_535))
    throw new UsageError(
      `BACKFLOW_HTTP is ${JSON.stringify(text)}; it has to be host:port, for example 127.0.0.1:8085`,
    );
  return { host, port };
}

/** Secrets that webhook bodies may be signed with: `BACKFLOW_WEBHOOK_SECRETS`, separated by commas. */
export function webhookSecrets(env: Env): readonly string[] {
  return (env.BACKFLOW_WEBHOOK_SECRETS ?? '')
    .split(',')
    .map((secret) => secret.trim())
    .filter((secret) => secret !== '');
}

/** Folder for what a replica keeps beside NATS: the data of its own nats-server, if it has one. */
export function dataDir(env: Env): string {
  return env.BACKFLOW_DATA?.trim() || '.backflow';
}

/** `BACKFLOW_TEST_LEASE_MS`: shorter leases, so that tests of a takeover do not take long. The same for every replica. */
export function testLeaseMs(env: Env): number | undefined {
  const text = env.BACKFLOW_TEST_LEASE_MS?.trim();
  if (text === undefined || text === '') return undefined;
  const ms = Number(text);
  if (!Number.isInteger(ms) || ms < 500)
    throw new UsageError(
      `BACKFLOW_TEST_LEASE_MS is ${JSON.stringify(text)}; it has to be whole milliseconds, 500 or more`,
    );
  return ms;
}

/** How to reach NATS, from the environment. */
export interface NatsEnvironment {
  /** `NATS_URL`; undefined: a server of our own is meant. */
  readonly url?: string;
  /** `NATS_CREDS`: path of a credentials file. */
  readonly credsFile?: string;
  /** `NATS_CA`, `NATS_CERT`, `NATS_KEY`: paths of PEM files. */
  readonly tls?: { readonly caFile?: string; readonly certFile?: string; readonly keyFile?: string };
  /** `NATS_REPLICAS`: copies of each stream in a cluster, 1, 3 or 5; undefined: streams are left as they are, new ones get one. */
  readonly replicas?: number;
}

export function natsEnvironment(env: Env): NatsEnvironment {
  const [url, credsFile, caFile, certFile, keyFile] = [
    'NATS_URL',
    'NATS_CREDS',
    'NATS_CA',
    'NATS_CERT',
    'NATS_KEY',
  ].map((name) => env[name]?.trim() || undefined);
  const problem = url === undefined ? undefined : addressProblem(url);
  if (problem !== undefined) {
    throw new UsageError(
      `NATS_URL cannot be used: ${problem}; it has to be like nats://host:4222, several with commas`,
    );
  }
  if ((certFile === undefined) !== (keyFile === undefined)) {
    throw new UsageError('NATS_CERT and NATS_KEY belong together: set both or none');
  }
  const copies = env.NATS_REPLICAS?.trim() || undefined;
  if (copies !== undefined && !['1', '3', '5'].includes(copies)) {
    throw new UsageError(`NATS_REPLICAS is ${JSON.stringify(copies)}; it has to be 1, 3 or 5`);
  }
  const tls = {
    ...(caFile === undefined ? {} : { caFile }),
    ...(certFile === undefined ? {} : { certFile }),
    ...(keyFile === undefined ? {} : { keyFile }),
  };
  return {
    ...(url === undefined ? {} : { url }),
    ...(credsFile === undefined ? {} : { credsFile }),
    ...(Object.keys(tls).length === 0 ? {} : { tls }),
    ...(copies === undefined ? {} : { replicas: Number(copies) }),
  };
}
