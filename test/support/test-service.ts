import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { loadConfig } from '../../src/config/load.ts';
import type { CatalogueReader } from '../../src/domain/catalogue-reader.ts';
import { sign } from '../../src/intake/signature.ts';
import { applyConfig } from '../../src/service/configuration.ts';
import { type Run, readRuns } from '../../src/service/history.ts';
import { type Service, startService } from '../../src/service.ts';
import { type Log, SILENT_LOG } from '../../src/telemetry/log.ts';
import { createConfigStore } from '../../streams/nats/config-store.ts';

const SECRET = 'test-secret-1';

export interface TestServiceOptions {
  readonly natsUrl: string;
  /** The configuration as YAML. */
  readonly config: string;
  readonly catalogue?: CatalogueReader;
  readonly log?: Log;
  /** Further webhook secrets that are accepted. */
  readonly secrets?: readonly string[];
  /** See `ServiceOptions`. */
  readonly leaseMs?: number;
  /** Changes in flight of one lane. */
  readonly creditMessages?: number;
}

/** A replica of the real service in this process, on a NATS of the test's own. */
export interface TestService {
  readonly service: Service;
  /** Posts an event through the signed webhook; rejects unless it was accepted. */
  post(body: string | object, headers?: Readonly<Record<string, string>>): Promise<void>;
  /** Posts many events, some at a time. */
  postAll(events: readonly { readonly body: string }[]): Promise<void>;
  /** Brings another configuration (YAML) into force, and waits until the service works by it. */
  apply(config: string): Promise<void>;
  /** Posts bytes as they are, with a signature of one's own. */
  postRaw(body: Uint8Array, signature: string): Promise<Response>;
  /** Every recorded key, oldest first. */
  runs(): Promise<readonly Run[]>;
  /** Waits until every one of these events has a recorded outcome, and gives all that is recorded of them, oldest first. */
  outcomes(eventIds: readonly string[], timeoutMs?: number): Promise<readonly Run[]>;
  /** Waits until every lane of the service runs (or is in the given phase). */
  lanes(phase?: string): Promise<void>;
  stop(): Promise<void>;
}

export async function startTestService(options: TestServiceOptions): Promise<TestService> {
  const folder = await mkdtemp(join(tmpdir(), 'backflow-test-'));
  const configPath = join(folder, 'backflow.yaml');
  await writeFile(configPath, options.config);
  const service = await startService({
    natsUrl: options.natsUrl,
    dataDir: join(folder, 'data'),
    http: { host: '127.0.0.1', port: 0 },
    configPath,
    webhookSecrets: [SECRET, ...(options.secrets ?? [])],
    allowUnsigned: false,
    log: options.log ?? SILENT_LOG,
    ...(options.catalogue === undefined ? {} : { catalogue: options.catalogue }),
    ...(options.leaseMs === undefined ? {} : { leaseMs: options.leaseMs }),
    ...(options.creditMessages === undefined ? {} : { creditMessages: options.creditMessages }),
  });
  const postRaw = (
    body: Uint8Array,
    signature: string,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Response> =>
    fetch(`${service.url}/ingest/openmetadata`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-om-signature': signature, ...headers },
      body: new Uint8Array(body),
    });
  const runs = async (): Promise<readonly Run[]> => [...(await readRuns(service.link, { limit: 1_000_000 }))].reverse();
  const post: TestService['post'] = async (body, headers) => {
    const bytes = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
    const response = await postRaw(bytes, sign(bytes, SECRET), headers);
    if (response.status !== 200) throw new Error(`the webhook answered ${response.status}: ${await response.text()}`);
  };
  return {
    service,
    postRaw,
    post,
    async postAll(events) {
      for (let start = 0; start < events.length; start += 20)
        await Promise.all(events.slice(start, start + 20).map(({ body }) => post(body)));
    },
    async apply(config) {
      await writeFile(configPath, config);
      const loaded = await loadConfig(configPath);
      if (!loaded.ok) throw new Error(`the configuration cannot be read: ${JSON.stringify(loaded.error)}`);
      const applied = await applyConfig(createConfigStore(service.link), loaded.value, 'test');
      if (!applied.ok) throw new Error(`the configuration is wrong: ${JSON.stringify(applied.error)}`);
      await service.configured(applied.value.revision);
    },
    runs,
    async outcomes(eventIds, timeoutMs = 20_000) {
      const wanted = new Set(eventIds);
      const deadline = Date.now() + timeoutMs;
      for (;;) {
        const found = (await runs()).filter((run) => wanted.has(run.eventId));
        const seen = new Set(found.map((run) => run.eventId));
        if (seen.size === wanted.size) return found;
        if (Date.now() > deadline)
          throw new Error(`no outcome for ${[...wanted].filter((id) => !seen.has(id)).join(', ')}`);
        await delay(50);
      }
    },
    async lanes(phase = 'running') {
      const deadline = Date.now() + 20_000;
      for (;;) {
        const rows = await service.lanes.rows();
        if (rows.length > 0 && rows.every((row) => row.phase === phase)) return;
        if (Date.now() > deadline) throw new Error(`lanes: ${JSON.stringify(rows)}`);
        await delay(20);
      }
    },
    async stop() {
      await service.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
