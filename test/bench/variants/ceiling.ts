// What the box can do: batched transactions with last-write-wins; no outcomes, no traces, no filters, no reads.
import { AckPolicy, DeliverPolicy, type JsMsg, jetstream, jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import pg from 'pg';

const nc = await connect({ servers: process.env.BENCH_NATS ?? '' });
await (await jetstreamManager(nc)).consumers.add('CHANGES', {
  durable_name: 'ceiling',
  ack_policy: AckPolicy.Explicit,
  deliver_policy: DeliverPolicy.All,
  max_ack_pending: 4096,
});
const client = new pg.Client({ connectionString: process.env.BENCH_POSTGRES ?? '' });
await client.connect();
const literal = (text: string): string => pg.escapeLiteral(text).trimStart();

let waiting: JsMsg[] = [];
let writing = false;
async function write(): Promise<void> {
  writing = true;
  while (waiting.length > 0) {
    const batch = waiting.splice(0, 500);
    const newest = new Map<string, string>();
    for (const message of batch) {
      const entity: { name: string; description: string } = JSON.parse(message.json<{ entity: string }>().entity);
      newest.set(entity.name, entity.description);
    }
    await client.query([...newest].map(([name, text]) => `COMMENT ON TABLE "${name}" IS ${literal(text)}`).join(';'));
    for (const message of batch) message.ack();
  }
  writing = false;
}
for await (const message of await (await jetstream(nc).consumers.get('CHANGES', 'ceiling')).consume({
  max_messages: 1000,
})) {
  waiting.push(message);
  if (!writing) void write();
}
waiting = [];
