import { setTimeout as delay } from 'node:timers/promises';
import { readLanes } from '../../../src/service/lane-record.ts';
import { createControlStore } from '../../../streams/nats/control-store.ts';
import type { Surroundings } from './surroundings.ts';

const LIMIT_MS = 90_000;

export async function pauseAll(around: Surroundings): Promise<void> {
  const controls = createControlStore(around.link);
  for (const service of servicesOf(around)) await controls.pause(service, '{}');
}

/**
 * Lets the paused targets go once the lanes are spread over all replicas, none with more than its share: not the start of the replicas
 * is measured. Rejects when they do not get there.
 */
export async function resumeSpread(around: Surroundings, replicas: number, say: (line: string) => void): Promise<void> {
  const services = servicesOf(around);
  const share = Math.ceil(services.length / replicas);
  const giveUpAt = performance.now() + LIMIT_MS;
  for (;;) {
    const owners = (await readLanes(around.link, new Set())).flatMap(({ owner }) => owner ?? []);
    const counts = [...Map.groupBy(owners, (owner) => owner).values()].map(({ length }) => length);
    const told = `lanes of each replica: ${counts.join(', ')}`;
    if (owners.length === services.length && counts.length === replicas && Math.max(...counts) <= share) {
      say(told);
      break;
    }
    if (performance.now() > giveUpAt) throw new Error(`the lanes do not spread over ${replicas} replicas (${told})`);
    await delay(200);
  }
  const controls = createControlStore(around.link);
  await Promise.all(services.map((service) => controls.resume(service)));
}

const servicesOf = ({ source, workload }: Surroundings): readonly string[] =>
  source.places.slice(0, workload.services).map(({ service }) => service);
