// What an engineer would write by hand in an afternoon: consume(), a pool of 8, one statement per message, ack after.
import { AckPolicy, DeliverPolicy, type JsMsg, jetstream, jetstreamManager } from '@nats-io/jetstream';
import { nanos } from '@nats-io/nats-core';
import { connect } from '@nats-io/transport-node';
import { openWriter } from './writers/open-writer.ts';
import type { Entity } from './writers/writer.ts';

const nc = await connect({ servers: process.env.BENCH_NATS ?? '' });
await (await jetstreamManager(nc)).consumers.add('CHANGES', {
  durable_name: 'loop',
  ack_policy: AckPolicy.Explicit,
  deliver_policy: DeliverPolicy.All,
  // Longer than the 500 statements of a wide table take; else they would run again and again.
  ack_wait: nanos(300_000),
});
const writer = openWriter(process.env);

async function handle(message: JsMsg): Promise<void> {
  try {
    const entity: Entity = JSON.parse(message.json<{ entity: string }>().entity);
    await writer.one(entity);
    message.ack();
  } catch {
    // After five tries it is given up: nobody reads what is written to a log.
    if (message.info.deliveryCount >= 5) message.term();
    else message.nak(100);
  }
}

const running = new Set<Promise<void>>();
for await (const message of await (await jetstream(nc).consumers.get('CHANGES', 'loop')).consume({
  max_messages: 200,
})) {
  const work = handle(message).finally(() => running.delete(work));
  running.add(work);
  if (running.size >= 8) await Promise.race(running);
}
