import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sign } from '../../src/intake/signature.ts';
import { type Service, startService } from '../../src/service.ts';
import { SILENT_LOG } from '../../src/telemetry/log.ts';
import { createConfigStore } from '../../streams/nats/config-store.ts';
import { connectNats } from '../../streams/nats/connection.ts';
import { ensureTopology } from '../../streams/nats/topology.ts';
import { type NatsServer, startNatsServer } from '../support/nats-server.ts';
import { tableEvent } from '../support/table-event.ts';

const SECRET = 'configuration-secret';

let nats: NatsServer;
let folder: string;
let service: Service | undefined;

beforeEach(async () => {
  nats = await startNatsServer();
  folder = await mkdtemp(join(tmpdir(), 'backflow-test-'));
});

afterEach(async () => {
  await service?.stop();
  service = undefined;
  await nats.stop();
  await rm(folder, { recursive: true, force: true });
});

async function post(): Promise<unknown> {
  service = await startService({
    natsUrl: nats.url,
    dataDir: folder,
    http: { host: '127.0.0.1', port: 0 },
    webhookSecrets: [SECRET],
    allowUnsigned: false,
    log: SILENT_LOG,
  });
  const body = Buffer.from(JSON.stringify(tableEvent()));
  const response = await fetch(`${service.url}/ingest/openmetadata`, {
    method: 'POST',
    headers: { 'x-om-signature': sign(body, SECRET) },
    body,
  });
  return response.json();
}

describe('a replica without a configuration', () => {
  it('settles a change as nobody’s when there is none', async () => {
    expect(await post()).toMatchObject({ items: [{ result: 'no-target' }] });
  });

  it('keeps a change for others when the one in force cannot be used by this replica', async () => {
    const link = await connectNats({ servers: nats.url, name: 'test' });
    await ensureTopology(link);
    const store = createConfigStore(link);
    // As a newer version of the program might have written it.
    const document = { targets: [{ service: 'pg_sales', connection: { type: 'NotYetKnown' } }] };
    const revision = await store.putRevision(JSON.stringify({ v: 1, document, hash: 'h', at: 1, by: 'test' }));
    await store.swapPointer(undefined, revision);
    await link.close();
    expect(await post()).toMatchObject({ items: [{ result: 'published' }] });
  });
});
