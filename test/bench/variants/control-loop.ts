// What an engineer would write by hand in an afternoon: consume(), a pool of 8, one statement per message, ack after.
import { AckPolicy, DeliverPolicy, jetstream, jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import pg from 'pg';

const nc = await connect({ servers: process.env.BENCH_NATS ?? '' });
await (await jetstreamManager(nc)).consumers.add('CHANGES', {
  durable_name: 'loop',
  ack_policy: AckPolicy.Explicit,
  deliver_policy: DeliverPolicy.All,
});
const pool = new pg.Pool({ connectionString: process.env.BENCH_POSTGRES ?? '', max: 8 });
const quote = (text: string): string => `'${text.replaceAll("'", "''")}'`;

const running = new Set<Promise<void>>();
for await (const message of await (await jetstream(nc).consumers.get('CHANGES', 'loop')).consume({
  max_messages: 200,
})) {
  const event = message.json<{ entity: string }>();
  const entity: { name: string; description: string } = JSON.parse(event.entity);
  const work = pool
    .query(`COMMENT ON TABLE "${entity.name}" IS ${quote(entity.description)}`)
    .then(() => message.ack())
    .catch(() => message.nak(100))
    .finally(() => running.delete(work));
  running.add(work);
  if (running.size >= 8) await Promise.race(running);
}
