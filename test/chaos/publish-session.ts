import { setTimeout as pause } from 'node:timers/promises';
import { CHANGE_HEADERS } from '../../src/domain/change-headers.ts';
import { parseMessage } from '../../src/domain/parse-change-event.ts';
import { changeSubject } from '../../src/domain/subjects.ts';
import { sign } from '../../src/intake/signature.ts';
import { rawEventSubject } from '../../src/service/publish-events.ts';
import type { Publisher } from '../../streams/nats/contract.ts';
import type { Publication } from './editing-session.ts';
import type { ChaosReplica } from './nemesis.ts';
import { traceparentOf } from './publication-trace.ts';

export const WEBHOOK_SECRET = 'chaos-secret';
const ANSWER_MS = 10_000;

/**
 * Publishes each event at its time. A webhook that is not answered with 200 is sent again, to the next replica, until one takes it; so
 * when this resolves everything has been accepted.
 */
export async function publishSession(
  publications: readonly Publication[],
  replicas: readonly ChaosReplica[],
  publisher: Publisher,
): Promise<void> {
  const beginning = performance.now();
  const all: Promise<void>[] = [];
  for (const [index, publication] of publications.entries()) {
    await pause(Math.max(0, publication.at - (performance.now() - beginning)));
    all.push(publish(publication, index, replicas, publisher));
  }
  await Promise.all(all);
}

async function publish(
  publication: Publication,
  index: number,
  replicas: readonly ChaosReplica[],
  publisher: Publisher,
): Promise<void> {
  const { body, eventId, way } = publication;
  const traceparent = traceparentOf(eventId, index);
  if (way === 'webhook') return post(publication, traceparent, replicas);
  const [message] = parseMessage(body);
  if (message?.kind !== 'change') throw new Error('an event of the session cannot be read');
  const { event } = message;
  if (way === 'raw') {
    await publisher.publish(rawEventSubject(event.service), body, {
      msgId: eventId,
      headers: { traceparent },
      giveUpAfterMs: Infinity,
    });
    return;
  }
  await publisher.publish(changeSubject(event.service, event), body, {
    msgId: `copy ${index} of ${eventId}`,
    headers: { traceparent, [CHANGE_HEADERS.receivedAt]: String(Date.now()) },
    giveUpAfterMs: Infinity,
  });
}

async function post(
  { body, replica }: Publication,
  traceparent: string,
  replicas: readonly ChaosReplica[],
): Promise<void> {
  const bytes = Buffer.from(body);
  const signature = sign(bytes, WEBHOOK_SECRET);
  const headers = { 'content-type': 'application/json', 'x-om-signature': signature, traceparent };
  for (let attempt = 0; ; attempt += 1) {
    const url = replicas[(replica + attempt) % replicas.length]?.process.url;
    if (url !== undefined) {
      const signal = AbortSignal.timeout(ANSWER_MS);
      const status = await fetch(`${url}/ingest/openmetadata`, { method: 'POST', headers, body: bytes, signal }).then(
        (response) => response.status,
        () => undefined,
      );
      if (status === 200) return;
    }
    await pause(100);
  }
}
