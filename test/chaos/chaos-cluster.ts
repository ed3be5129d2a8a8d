import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectNats, type NatsLink } from '../../streams/nats/connection.ts';
import { type NatsServer, startNatsServer } from '../support/nats-server.ts';
import { closeReplica, startReplica, untilUp } from './chaos-replica.ts';
import { type ChaosSources, createTables, dropTables, roundConfig } from './chaos-sources.ts';
import type { ChaosTable } from './editing-session.ts';
import type { ChaosReplica } from './nemesis.ts';

export interface ClusterSize {
  readonly replicas: number;
  readonly leaseMs: number;
  /** See `ReplicaOptions`. */
  readonly root?: string;
}

/** Replicas that are up, each behind its proxies, on a NATS and on databases of their own. */
export interface ChaosCluster {
  readonly tables: readonly ChaosTable[];
  readonly nats: NatsServer;
  readonly replicas: readonly ChaosReplica[];
  readonly link: NatsLink;
}

/** Starts them, does the work, and takes all of it away again, whatever came of the work. */
export async function onChaosCluster<T>(
  sources: ChaosSources,
  database: string,
  { replicas: count, ...size }: ClusterSize,
  work: (cluster: ChaosCluster) => Promise<T>,
): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'backflow-chaos-'));
  const closing: (() => Promise<unknown>)[] = [() => rm(folder, { recursive: true, force: true })];
  try {
    closing.push(() => dropTables(sources, database));
    const tables = await createTables(sources, database);
    const configPath = join(folder, 'backflow.yaml');
    await writeFile(configPath, roundConfig(sources, database));
    const nats = await startNatsServer({ dir: join(folder, 'nats') });
    closing.push(() => nats.stop());
    const replicas: ChaosReplica[] = [];
    closing.push(() => Promise.all(replicas.map(closeReplica)));
    for (let i = 0; i < count; i += 1)
      replicas.push(await startReplica(i, nats, sources, { folder, configPath, ...size }));
    await untilUp(replicas);
    const link = await connectNats({ servers: nats.url, name: 'chaos' });
    closing.push(() => link.close());
    return await work({ tables, nats, replicas, link });
  } finally {
    for (const close of closing.reverse()) await close();
  }
}
