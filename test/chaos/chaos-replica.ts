import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { readLanes } from '../../src/service/lane-record.ts';
import type { NatsLink } from '../../streams/nats/connection.ts';
import { startFaultProxy } from '../support/fault-proxy.ts';
import type { NatsServer } from '../support/nats-server.ts';
import { ReplicaProcess } from '../support/replica-process.ts';
import type { ChaosSources } from './chaos-sources.ts';
import type { ChaosReplica } from './nemesis.ts';
import { WEBHOOK_SECRET } from './publish-session.ts';

const UP_MS = 60_000;

export interface ReplicaSettings {
  readonly folder: string;
  readonly configPath: string;
  readonly leaseMs: number;
  /** See `ReplicaOptions`. */
  readonly root?: string;
}

export async function startReplica(
  index: number,
  nats: NatsServer,
  { postgres, mariadb }: ChaosSources,
  { folder, configPath, leaseMs, root }: ReplicaSettings,
): Promise<ChaosReplica> {
  const links = {
    nats: await startFaultProxy(() => nats),
    postgres: await startFaultProxy(() => postgres),
    mariadb: await startFaultProxy(() => mariadb),
  };
  const process = new ReplicaProcess({
    name: `replica ${index}`,
    ...(root === undefined ? {} : { root }),
    env: {
      NATS_URL: `nats://127.0.0.1:${links.nats.port}`,
      BACKFLOW_CONFIG: configPath,
      BACKFLOW_DATA: join(folder, `replica-${index}`),
      BACKFLOW_WEBHOOK_SECRETS: WEBHOOK_SECRET,
      BACKFLOW_TEST_LEASE_MS: String(leaseMs),
      CHAOS_POSTGRES_PORT: String(links.postgres.port),
      CHAOS_POSTGRES_PASSWORD: postgres.password,
      CHAOS_MARIADB_PORT: String(links.mariadb.port),
      CHAOS_MARIADB_PASSWORD: mariadb.password,
    },
  });
  return { process, links };
}

export async function closeReplica({ process, links }: ChaosReplica): Promise<void> {
  await process.close();
  await Promise.all(Object.values(links).map((proxy) => proxy.close()));
}

export async function untilUp(replicas: readonly ChaosReplica[]): Promise<void> {
  const deadline = performance.now() + UP_MS;
  for (;;) {
    const down = replicas.filter(({ process }) => process.url === undefined);
    if (down.length === 0) return;
    if (performance.now() > deadline)
      throw new Error(`${down.map(({ process }) => `${process.name} does not come up:\n${process.log}`).join('\n')}`);
    await pause(50);
  }
}

/** A replica's name holds the id of its process. */
export async function ownerOf(
  link: NatsLink,
  service: string,
  replicas: readonly ChaosReplica[],
): Promise<number | undefined> {
  const lanes = await readLanes(link, new Set());
  const owner = lanes.find(({ target }) => target === service)?.owner;
  const found = replicas.findIndex(({ process }) => process.pid !== undefined && owner?.includes(`-${process.pid}-`));
  return found === -1 ? undefined : found;
}
