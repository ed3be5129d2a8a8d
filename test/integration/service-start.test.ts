import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { StartAbandonedError } from '../../src/service/reach-nats.ts';
import { ConfigurationError, type ServiceOptions, startService } from '../../src/service.ts';
import { type Log, SILENT_LOG } from '../../src/telemetry/log.ts';
import { type NatsServer, startNatsServer } from '../support/nats-server.ts';
import { until } from '../support/until.ts';

describe('a replica that starts before NATS', () => {
  let nats: NatsServer;
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'backflow-start-'));
    nats = await startNatsServer();
    await nats.shutdown();
  });
  afterAll(async () => {
    await nats.stop();
    await rm(folder, { recursive: true, force: true });
  });

  /** Where it waits, as its log tells. */
  let waitsAt: string | undefined;
  const log: Log = {
    ...SILENT_LOG,
    warn: (fields) => {
      if (typeof fields.url === 'string') waitsAt = fields.url;
    },
  };

  function options(more: Partial<ServiceOptions> = {}): ServiceOptions {
    waitsAt = undefined;
    return {
      natsUrl: nats.url,
      dataDir: join(folder, 'data'),
      http: { host: '127.0.0.1', port: 0 },
      webhookSecrets: ['s'],
      allowUnsigned: false,
      log,
      ...more,
    };
  }

  it('ends at once when told to', async () => {
    const abandon = new AbortController();
    const starting = startService(options({ signal: abandon.signal }));
    await until(() => waitsAt !== undefined);
    abandon.abort();
    await expect(starting).rejects.toBeInstanceOf(StartAbandonedError);
    await expect(fetch(`${waitsAt}/livez`)).rejects.toThrow();
  });

  it('does not wait with a configuration that is wrong', async () => {
    const configPath = join(folder, 'wrong.yaml');
    await writeFile(configPath, 'targetz: []\n');
    await expect(startService(options({ configPath }))).rejects.toBeInstanceOf(ConfigurationError);
  });

  it('lives without being ready, takes nothing in, and goes on as soon as NATS is there', async () => {
    const starting = startService(options());
    await until(() => waitsAt !== undefined);
    expect((await fetch(`${waitsAt}/livez`)).status).toBe(200);
    const ready = await fetch(`${waitsAt}/readyz`);
    expect(ready.status).toBe(503);
    expect(await ready.json()).toMatchObject({
      ready: false,
      checks: { nats: expect.stringContaining(`127.0.0.1:${nats.port}`) },
    });
    const webhook = await fetch(`${waitsAt}/ingest/openmetadata`, { method: 'POST', body: '{}' });
    expect([webhook.status, webhook.headers.get('retry-after')]).toEqual([503, '5']);

    await nats.restart();
    const service = await starting;
    try {
      expect((await fetch(`${service.url}/readyz`)).status).toBe(200);
      expect((await fetch(`${service.url}/ingest/openmetadata`, { method: 'POST', body: '{}' })).status).toBe(401);
    } finally {
      await service.stop();
    }
  });
});
