import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { STREAMS } from '../../src/domain/subjects.ts';
import { connectNats, type NatsLink } from '../../streams/nats/connection.ts';
import type { Publisher } from '../../streams/nats/contract.ts';
import { createPublisher } from '../../streams/nats/publisher.ts';
import { startNatsServer } from '../support/nats-server.ts';
import { until } from '../support/until.ts';
import { countOutcomes, type OutcomeCount } from './outcome-count.ts';
import { type SampledService, startSampledService } from './sampled-service.ts';
import { SERVICE, type SoakEvent } from './soak-events.ts';
import { type SoakTarget, startSoakTarget } from './soak-target.ts';

const DURABLE = `lane-${SERVICE}-0of1`;
/** Changes that may wait for their PubAck. */
const WINDOW = 1_024;

/** Everything that a soak runs on. */
export interface SoakWorld {
  readonly target: SoakTarget;
  readonly count: OutcomeCount;
  /** The service that runs now; undefined while it is stopped. */
  service(): SampledService | undefined;
  startService(): Promise<void>;
  stopService(): Promise<void>;
  /** Publishes without waiting for the answer, unless too many are open; a refused change makes `settled` reject. */
  publish(event: SoakEvent): Promise<void>;
  settled(): Promise<void>;
  /** Changes that the lane has not settled. */
  lag(): Promise<number>;
  /** Sequence of the last change. */
  lastSequence(): Promise<number>;
  close(): Promise<void>;
}

export async function openSoakWorld(): Promise<SoakWorld> {
  const closing: (() => Promise<unknown>)[] = [];
  const close = async (): Promise<void> => {
    for (const step of closing.splice(0).reverse()) await step();
  };
  try {
    return await open(closing, close);
  } catch (error) {
    await close();
    throw error;
  }
}

async function open(closing: (() => Promise<unknown>)[], close: () => Promise<void>): Promise<SoakWorld> {
  const folder = await mkdtemp(join(tmpdir(), 'backflow-soak-'));
  closing.push(() => rm(folder, { recursive: true, force: true }));
  const target = await startSoakTarget();
  closing.push(() => target.stop());
  const nats = await startNatsServer({ dir: join(folder, 'nats') });
  closing.push(() => nats.stop());
  const configPath = join(folder, 'backflow.yaml');
  await writeFile(configPath, target.config);

  let service: SampledService | undefined;
  const startService = async (): Promise<void> => {
    service = await startSampledService({
      ...target.env,
      NATS_URL: nats.url,
      BACKFLOW_CONFIG: configPath,
      BACKFLOW_DATA: join(folder, 'data'),
      BACKFLOW_WEBHOOK_SECRETS: 'soak',
    });
  };
  const stopService = async (): Promise<void> => {
    const stopping = service;
    service = undefined;
    await stopping?.stop();
  };
  await startService();
  closing.push(stopService);

  const link = await connectNats({ servers: nats.url, name: 'soak' });
  closing.push(() => link.close());
  // A new lane begins with what comes after it.
  await until(async () => (await lagOf(link)) !== undefined, 60_000);
  const count = await countOutcomes(link);
  closing.push(() => count.stop());
  return {
    target,
    count,
    service: () => service,
    startService,
    stopService,
    ...feed(createPublisher(link, { maxMessages: WINDOW, maxBytes: 8 * 1024 * 1024 })),
    async lag() {
      const lag = await lagOf(link);
      if (lag === undefined) throw new Error('the consumer of the lane is gone');
      return lag;
    },
    lastSequence: async () => (await link.jsm.streams.info(STREAMS.changes)).state.last_seq,
    close,
  };
}

function feed(publisher: Publisher): Pick<SoakWorld, 'publish' | 'settled'> {
  const open = new Set<Promise<unknown>>();
  let refused: unknown;
  return {
    async publish({ id, subject, body }) {
      const publishing: Promise<unknown> = publisher
        .publish(subject, body, { msgId: id })
        .catch((error: unknown) => {
          refused ??= error;
        })
        .finally(() => open.delete(publishing));
      open.add(publishing);
      if (open.size >= WINDOW) await Promise.race(open);
    },
    async settled() {
      await Promise.all(open);
      if (refused !== undefined) throw refused;
    },
  };
}

async function lagOf(link: NatsLink): Promise<number | undefined> {
  const info = await link.jsm.consumers.info(STREAMS.changes, DURABLE).catch(() => undefined);
  return info === undefined ? undefined : info.num_pending + info.num_ack_pending;
}
