// What the box can do: batched transactions with last-write-wins; no outcomes, no traces, no filters, no reads.
import { AckPolicy, DeliverPolicy, type JsMsg, jetstream, jetstreamManager } from '@nats-io/jetstream';
import { nanos } from '@nats-io/nats-core';
import { connect } from '@nats-io/transport-node';
import { openWriter } from './writers/open-writer.ts';
import type { Entity } from './writers/writer.ts';

// Bounded in bytes too: what waits unread on a connection counts against the server's limit of 64 MB.
const window = Number(process.env.BENCH_WINDOW ?? 1_000);
const nc = await connect({ servers: process.env.BENCH_NATS ?? '' });
await (await jetstreamManager(nc)).consumers.add('CHANGES', {
  durable_name: 'ceiling',
  ack_policy: AckPolicy.Explicit,
  deliver_policy: DeliverPolicy.All,
  max_ack_pending: 4 * window,
  // What waits here while a slow source is written must not come again: it would be written after newer ones.
  ack_wait: nanos(300_000),
});
const writer = openWriter(process.env);

const waiting: JsMsg[] = [];
let writing = false;
async function write(): Promise<void> {
  writing = true;
  while (waiting.length > 0) {
    const batch = waiting.splice(0, 500);
    const newest = new Map<string, Entity>();
    for (const message of batch) {
      const entity = entityOf(message);
      if (entity !== undefined) newest.set(entity.name, entity);
    }
    await writer.many([...newest.values()]);
    for (const message of batch) message.ack();
  }
  writing = false;
}

function entityOf(message: JsMsg): Entity | undefined {
  try {
    const entity: Entity = JSON.parse(message.json<{ entity: string }>().entity);
    return entity;
  } catch {
    return undefined;
  }
}

for await (const message of await (await jetstream(nc).consumers.get('CHANGES', 'ceiling')).consume({
  max_messages: window,
})) {
  waiting.push(message);
  if (!writing) void write();
}
