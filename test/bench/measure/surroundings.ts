import { rmSync } from 'node:fs';
import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectNats, type NatsLink } from '../../../streams/nats/connection.ts';
import type { Publisher } from '../../../streams/nats/contract.ts';
import { createPublisher } from '../../../streams/nats/publisher.ts';
import { ensureTopology } from '../../../streams/nats/topology.ts';
import { startNatsServer } from '../../support/nats-server.ts';
import type { BenchSource } from '../sources/bench-source.ts';
import { changeMessage } from '../workload/change-message.ts';
import { type Change, changesOf, type Workload } from '../workload/workload.ts';
import { startSpanSink } from './span-sink.ts';

/** What one measurement has for itself: an empty nats-server and a folder. The source is shared. */
export interface Surroundings {
  readonly natsUrl: string;
  readonly link: NatsLink;
  readonly publisher: Publisher;
  readonly source: BenchSource;
  readonly workload: Workload;
  readonly folder: string;
  /** Where spans go. */
  readonly spansUrl: string;
  close(): Promise<void>;
}

/** Bytes of a workload's events that a hand-tuned reader would ask for at once. */
const WINDOW_BYTES = 12 * 1024 * 1024;

/** Messages that a reader with a fixed window may have in hand: below the server's limit of bytes for one connection. */
export const readerWindow = ({ bytes }: Workload, most: number): number =>
  Math.max(1, Math.min(most, Math.floor(WINDOW_BYTES / bytes)));

export async function openSurroundings(source: BenchSource, workload: Workload): Promise<Surroundings> {
  const folder = await mkdtemp(join(tmpdir(), 'backflow-bench-'));
  const removeWithUs = (): void => rmSync(folder, { recursive: true, force: true });
  process.once('exit', removeWithUs);
  await mkdir(join(folder, 'nats'));
  const nats = await startNatsServer({ dir: join(folder, 'nats') });
  const link = await connectNats({ servers: nats.url, name: 'bench' });
  const spans = await startSpanSink();
  await ensureTopology(link);
  await writeFile(join(folder, 'backflow.yaml'), configuration(source, workload));
  return {
    natsUrl: nats.url,
    link,
    publisher: createPublisher(link, { maxMessages: 1_000, maxBytes: 16 * 1024 * 1024 }),
    source,
    workload,
    folder,
    spansUrl: spans.url,
    close: async () => {
      await spans.stop();
      await link.close();
      await nats.stop();
      removeWithUs();
      process.removeListener('exit', removeWithUs);
    },
  };
}

/** Every JSON text is YAML. */
function configuration(source: BenchSource, { services }: Workload): string {
  return JSON.stringify({
    targets: source.places.slice(0, services).map(({ service }, place) => ({
      service,
      connection: source.connection(place),
      rateLimit: { perSecond: 100_000, burst: 1_000_000 },
    })),
    channels: [{ name: 'documentation', update: { descriptions: true, tags: false, owners: false } }],
  });
}

/** Publishes one change; resolves with its acknowledgement. */
export async function publishChange(around: Surroundings, change: Change): Promise<void> {
  const place = around.source.places[change.place];
  if (place === undefined) throw new Error(`the source has no place ${change.place}`);
  const { id, subject, body } = changeMessage(change, place, around.workload.bytes);
  await around.publisher.publish(subject, body, { msgId: id });
}

/** Publishes a part of the workload as fast as the server takes it. */
export async function publishChanges(around: Surroundings, from: number, to: number): Promise<void> {
  let window: Promise<void>[] = [];
  for (const change of changesOf(around.workload, from, to)) {
    window.push(publishChange(around, change));
    if (window.length < 1_000) continue;
    await Promise.all(window);
    window = [];
  }
  await Promise.all(window);
}
