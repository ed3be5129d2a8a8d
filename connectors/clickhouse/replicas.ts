import type { ObjectRef } from '../../src/domain/operation.ts';
import { ConnectorError } from '../connector-error.ts';
import type { ClickhouseClient } from './client.ts';
import { readReplicas } from './read.ts';

/** What the servers of the cluster hold: a comment from each that has the object, or why that is not known. */
export interface Replicas {
  readonly comments?: readonly string[];
  readonly note?: string;
}

/** The comments on all servers of the connection's cluster, in the order asked. Empty without a cluster. */
export async function onReplicas(
  client: ClickhouseClient,
  objects: readonly ObjectRef[],
): Promise<readonly Replicas[]> {
  const { cluster } = client;
  if (cluster === undefined || objects.length === 0) return [];
  try {
    return (await readReplicas(client, cluster, objects)).map((comments) => ({ comments }));
  } catch (error) {
    if (!(error instanceof ConnectorError) || error.scope === 'target') throw error;
    const note = `Read back from one server only: the others of the cluster could not be asked (${error.code}).`;
    return objects.map(() => ({ note }));
  }
}
