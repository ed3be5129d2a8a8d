import { parseMessage } from '../../src/domain/parse-change-event.ts';
import { changeSubject } from '../../src/domain/subjects.ts';
import type { NatsLink } from '../../streams/nats/connection.ts';
import { createPublisher } from '../../streams/nats/publisher.ts';
import { tableEvent } from '../support/table-event.ts';
import { until } from '../support/until.ts';
import { onChaosCluster } from './chaos-cluster.ts';
import { ownerOf } from './chaos-replica.ts';
import { type ChaosSources, fieldName, readSources } from './chaos-sources.ts';
import { untilDrained } from './drained.ts';

const SERVICE = 'pg_sales';
const LEASE_MS = 1_000;
/** A take-over on a busy machine. */
const PATIENCE_MS = 60_000;

/**
 * The owner of a lane is stopped (SIGSTOP) while its statement is on the way to PostgreSQL. Another replica takes the lane over and
 * writes the next value. Then the old statement arrives, and the old owner goes on. Gives what stands in the source at the end.
 * `root`: folder of the program that runs.
 */
export async function stoppedOwner(
  sources: ChaosSources,
  database: string,
  root?: string,
): Promise<string | undefined> {
  const size = { replicas: 2, leaseMs: LEASE_MS, ...(root === undefined ? {} : { root }) };
  return onChaosCluster(sources, database, size, async ({ replicas, link }) => {
    const edit = editor(link, database);
    const stands = async (): Promise<string | undefined> =>
      (await readSources(sources, database)).get(fieldName(SERVICE, 't0', 'table'));
    await edit('the first');
    await until(async () => (await stands()) === 'the first', PATIENCE_MS);
    const first = await ownerOf(link, SERVICE, replicas);
    const owner = first === undefined ? undefined : replicas[first];
    if (owner === undefined) throw new Error('nobody owns the lane');

    owner.links.postgres.set({ kind: 'hold-from', text: 'COMMENT ON' });
    await edit('the second');
    await until(() => owner.links.postgres.holding > 0, PATIENCE_MS);
    owner.process.stop();
    await until(async () => ![first, undefined].includes(await ownerOf(link, SERVICE, replicas)), PATIENCE_MS);
    await edit('the third');
    await until(async () => (await stands()) === 'the third', PATIENCE_MS);

    owner.links.postgres.set({ kind: 'pass' });
    owner.process.cont();
    if ((await untilDrained(link)) === undefined) throw new Error('the lanes are not drained');
    return await stands();
  });
}

/** Publishes one edit after another of the description of one table. */
function editor(link: NatsLink, database: string): (text: string) => Promise<void> {
  const publisher = createPublisher(link, { maxMessages: 8, maxBytes: 1024 * 1024 });
  const path = [SERVICE, database, 'public', 't0'] as const;
  let timestamp = Date.now();
  return async (text) => {
    timestamp += 1;
    const event = tableEvent({
      path,
      description: text,
      entity: { id: 'table', updatedAt: timestamp },
      envelope: { entityId: 'table', timestamp },
    });
    const body = JSON.stringify(event);
    const [message] = parseMessage(body);
    if (message?.kind !== 'change') throw new Error('the event cannot be read');
    await publisher.publish(changeSubject(SERVICE, message.event), body, { msgId: message.event.id });
  };
}
