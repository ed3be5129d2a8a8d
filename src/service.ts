import { randomUUID } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { concatMap, filter, type Subscription, tap } from 'rxjs';
import { createActorSystem } from '../actors/kernel/index.ts';
import { allConnectors, connectorFor } from '../connectors/registry.ts';
import { createConfigStore } from '../streams/nats/config-store.ts';
import { connectNats, type NatsLink } from '../streams/nats/connection.ts';
import { createControlStore } from '../streams/nats/control-store.ts';
import { type EmbeddedServer, startEmbeddedServer } from '../streams/nats/embedded-server.ts';
import { LeaseWatcher } from '../streams/nats/lease-watcher.ts';
import { createPublisher } from '../streams/nats/publisher.ts';
import { ensureTopology } from '../streams/nats/topology.ts';
import { startHttpServer } from './api/server.ts';
import type { CompiledConfig } from './config/compiled.ts';
import { type LoadedConfig, loadConfig } from './config/load.ts';
import { type ConfigProblem, formatProblem } from './config/problem.ts';
import { processSecrets } from './config/resolve-secrets.ts';
import type { CatalogueReader } from './domain/catalogue-reader.ts';
import { BackflowError } from './domain/failure.ts';
import { createIntake } from './intake/ingest.ts';
import { openRawEvents } from './intake/open-raw-events.ts';
import { apiPorts } from './service/api-ports.ts';
import { ChannelControls } from './service/channel-controls.ts';
import { applyStartFile, compileRevision } from './service/configuration.ts';
import { followConfiguration } from './service/follow-configuration.ts';
import { ackWaitMs } from './service/lane-host.ts';
import { LaneManager } from './service/lane-manager.ts';
import { reachNats } from './service/reach-nats.ts';
import { StreamWatch } from './service/stream-watch.ts';
import type { Log } from './telemetry/log.ts';
import { createMetrics } from './telemetry/metrics.ts';

export interface ServiceOptions {
  /** NATS to use; absent: a nats-server of our own, with its data under `dataDir`. */
  readonly natsUrl?: string;
  readonly natsCreds?: string;
  /** Copies of each stream and bucket in a cluster. */
  readonly natsReplicas?: number;
  /** Paths of PEM files. */
  readonly natsTls?: { readonly caFile?: string; readonly certFile?: string; readonly keyFile?: string };
  readonly dataDir: string;
  readonly http: { readonly host: string; readonly port: number };
  /** File or folder that is applied at start. */
  readonly configPath?: string;
  readonly webhookSecrets: readonly string[];
  readonly allowUnsigned: boolean;
  readonly log: Log;
  readonly catalogue?: CatalogueReader;
  /** How long a silent replica's lanes wait for another one, milliseconds; every replica has to have the same. Default 10 s. */
  readonly leaseMs?: number;
  /** See `LaneManagerOptions`. */
  readonly creditMessages?: number;
  /** Ends a start that waits for NATS; the start then rejects with `StartAbandonedError`. */
  readonly signal?: AbortSignal;
  /** Told when the process has to end: a connection was closed for good. */
  readonly onFatal?: (reason: string) => void;
}

/** A running replica. */
export interface Service {
  readonly url: string;
  readonly natsUrl: string;
  /** This replica's name, as the lanes that it owns show it. */
  readonly replica: string;
  readonly link: NatsLink;
  readonly lanes: LaneManager;
  /** Resolves when lanes for this revision, or a later one, run. */
  configured(revision: number): Promise<void>;
  /** Drains: takes nothing new, finishes what is under way, gives the rest back, releases the lanes. */
  stop(): Promise<void>;
}

/** The configuration that the service was given is wrong; each problem has its place and remedy. */
export class ConfigurationError extends BackflowError {
  readonly problems: readonly ConfigProblem[];

  constructor(problems: readonly ConfigProblem[]) {
    super('invalid-configuration', 'invalid', problems.map(formatProblem).join('\n'));
    this.problems = problems;
  }
}

/** Messages and bytes that may wait for their PubAck at once. */
const PUBLISH_WINDOW = { maxMessages: 512, maxBytes: 16 * 1024 * 1024 } as const;

/** JetStream reserves what its streams may take; a server of our own must fit on a small disk. */
const OWN_SERVER_SIZES = {
  changesMaxBytes: 1024 ** 3,
  outcomesMaxBytes: 1024 ** 3,
  eventsMaxBytes: 256 * 1024 ** 2,
  deadLettersMaxBytes: 256 * 1024 ** 2,
  objectsMaxBytes: 256 * 1024 ** 2,
  parkedMaxBytes: 256 * 1024 ** 2,
} as const;

/** Puts a replica together and starts it. This is the only place that knows all parts. */
export async function startService(options: ServiceOptions): Promise<Service> {
  const { log } = options;
  const closing: (() => Promise<void>)[] = [];
  const stop = async (): Promise<void> => {
    for (const close of closing.splice(0).reverse()) {
      await close().catch((error: unknown) => log.warn({ err: error }, 'a part did not stop cleanly'));
    }
  };
  try {
    return await start(options, closing, stop);
  } catch (error) {
    await stop();
    throw error;
  }
}

async function start(
  options: ServiceOptions,
  closing: (() => Promise<void>)[],
  stop: () => Promise<void>,
): Promise<Service> {
  const { log } = options;
  const replica = `${hostname()}-${process.pid}-${randomUUID().slice(0, 8)}`;
  const file = options.configPath === undefined ? undefined : await readConfigFile(options.configPath);
  const natsUrl = options.natsUrl ?? (await startOwnNats(options, closing)).url;

  const connect = async (name: string): Promise<NatsLink> => {
    const link = await connectNats({
      servers: natsUrl,
      name: `backflow ${name}`,
      ...(options.natsCreds === undefined ? {} : { credsFile: options.natsCreds }),
      ...(options.natsTls === undefined ? {} : { tls: options.natsTls }),
    });
    let expected = false;
    void link.closed.then((reason) => {
      if (!expected)
        options.onFatal?.(
          `the connection to NATS is closed for good${reason === undefined ? '' : `: ${reason.message}`}`,
        );
    });
    closing.push(async () => {
      expected = true;
      await link.drain(5_000);
    });
    return link;
  };
  // Pulling and publishing have connections of their own: a full buffer of one must not hold up the other.
  const link = await reachNats(() => connect('publish'), {
    http: options.http,
    log,
    ...(options.signal === undefined ? {} : { signal: options.signal }),
  });
  const [pullLink] = await Promise.all([
    connect('pull'),
    ensureTopology(link, {
      ...(options.natsUrl === undefined ? OWN_SERVER_SIZES : {}),
      ...(options.natsReplicas === undefined ? {} : { replicas: options.natsReplicas }),
    }),
  ]);

  const metrics = createMetrics();
  const publisher = createPublisher(link, PUBLISH_WINDOW);
  closing.push(() => publisher.settle());
  const configs = createConfigStore(link);
  const controls = createControlStore(link);
  const channelControls = new ChannelControls({ link, metrics, log });

  if (file !== undefined && options.configPath !== undefined) {
    const applied = await applyStartFile(configs, file, options.configPath);
    if (!applied.ok) throw new ConfigurationError(applied.error);
    log.info({ revision: applied.value.revision, applied: applied.value.applied }, 'the configuration file was read');
  }

  const system = createActorSystem();
  const undelivered = system.events.subscribe((event) => {
    if (event.type === 'undelivered' && event.reason !== 'stopped')
      log.warn({ actor: event.actor, reason: event.reason }, 'an actor message was not delivered');
    if (event.type === 'failed' || event.type === 'escalated')
      log.error({ actor: event.actor, err: event.error }, 'an actor failed');
  });
  closing.push(async () => {
    await system.stop(5_000);
    undelivered.unsubscribe();
  });

  const lanes = new LaneManager({
    system,
    link: pullLink,
    storeLink: link,
    publisher,
    watcher: new LeaseWatcher(),
    replica,
    connector: connectorFor,
    metrics,
    log,
    secrets: processSecrets(),
    controls: channelControls,
    ...(options.catalogue === undefined ? {} : { catalogue: options.catalogue }),
    ...(options.leaseMs === undefined ? {} : { leaseMs: options.leaseMs }),
    ...(options.creditMessages === undefined ? {} : { creditMessages: options.creditMessages }),
  });
  let draining: Promise<number> | undefined;
  closing.push(async () => {
    const returned = await (draining ?? lanes.drain());
    if (returned > 0) log.info({ returned }, 'changes that were not dispatched went back to the stream');
  });

  await lanes.open();
  let config: CompiledConfig | undefined;
  /** Some configuration is in force, whether this replica could take it up or not. */
  let anyInForce = false;
  let configuredRevision = 0;
  const waiting = new Set<() => void>();
  const subscriptions: Subscription[] = [];
  closing.push(async () => {
    for (const subscription of subscriptions) subscription.unsubscribe();
  });

  const takeUp = async (revision: number): Promise<void> => {
    const compiled = await compileRevision(configs, revision);
    if (!compiled.ok) {
      log.error(
        { revision, problems: compiled.error.map(formatProblem) },
        'the configuration in force cannot be used; the last good one stays',
      );
      return;
    }
    config = compiled.value;
    await lanes.configure(compiled.value);
    configuredRevision = revision;
    log.info(
      { revision, targets: compiled.value.targets.size, channels: compiled.value.channels.length },
      'configuration in force',
    );
    for (const check of waiting) check();
  };
  const [present] = await Promise.all([configs.pointer(), channelControls.read()]);
  anyInForce = present !== undefined;
  // A replica that cannot even read its configuration does not start.
  if (present !== undefined) await takeUp(present.revision);
  const newer = configs.watch().pipe(
    tap(() => {
      anyInForce = true;
    }),
    filter(({ revision }) => revision !== configuredRevision),
  );
  const onTrouble = (revision: number, error: unknown): void =>
    log.error({ revision, err: error }, 'the configuration could not be taken up yet');
  subscriptions.push(followConfiguration(newer, { takeUp, onTrouble }).subscribe());
  subscriptions.push(channelControls.follow(() => lanes.holdsChanged()));
  let paused: ReadonlySet<string> = new Set();
  subscriptions.push(
    controls
      .watchPaused()
      .pipe(
        concatMap(async (now) => {
          for (const target of new Set([...now.keys(), ...paused])) {
            if (now.has(target) !== paused.has(target)) await lanes.pause(target, now.has(target));
          }
          paused = new Set(now.keys());
        }),
      )
      .subscribe(),
  );

  const intake = createIntake({
    publisher,
    maxPayload: () => link.maxPayload(),
    // As long as the configuration in force is not known here, a change waits for whoever knows it.
    targets: { reads: (service) => config?.targets.has(service) ?? anyInForce, revision: () => config?.revision ?? 0 },
    metrics,
    log,
    clock: Date,
  });
  const rawEvents = await openRawEvents(pullLink, { intake, metrics, log, ackWaitMs: ackWaitMs(options.leaseMs) });
  closing.push(() => rawEvents.stop());

  const streamWatch = new StreamWatch({ link, metrics, log });
  closing.push(async () => streamWatch.stop());
  const http = await startHttpServer({
    ...options.http,
    webhook: { intake, secrets: options.webhookSecrets, allowUnsigned: options.allowUnsigned },
    api: apiPorts({ link, lanes, config: () => config, connectors: allConnectors() }),
    metrics,
    readiness: () => ({
      ready: link.connected() && pullLink.connected(),
      checks: {
        nats: link.connected() && pullLink.connected() ? 'ok' : 'not connected',
        configuration: config === undefined ? 'none applied yet' : 'ok',
        streams: streamWatch.summary(),
        retention: lanes.retention(),
      },
    }),
    log,
  });
  closing.push(() => http.close());
  await lanes.announce();
  // The first thing of all when the service ends: no lane waits until the rest is closed.
  closing.push(async () => {
    draining = lanes.drain();
    draining.catch(() => undefined);
  });
  log.info(
    { url: http.url, nats: options.natsUrl === undefined ? 'own server' : 'given', replica },
    'backflow is running',
  );

  return {
    url: http.url,
    natsUrl,
    replica,
    link,
    lanes,
    configured: (revision) =>
      new Promise((resolve) => {
        const check = (): void => {
          if (configuredRevision < revision) return;
          waiting.delete(check);
          resolve();
        };
        waiting.add(check);
        check();
      }),
    stop,
  };
}

async function readConfigFile(path: string): Promise<LoadedConfig> {
  const loaded = await loadConfig(path);
  if (!loaded.ok) throw new ConfigurationError(loaded.error);
  return loaded.value;
}

/** A nats-server as our child; its address is left in `nats.url` for the commands. */
async function startOwnNats(options: ServiceOptions, closing: (() => Promise<void>)[]): Promise<EmbeddedServer> {
  await mkdir(options.dataDir, { recursive: true });
  const server = await startEmbeddedServer({ dir: join(options.dataDir, 'nats') });
  const urlFile = join(options.dataDir, 'nats.url');
  let expected = false;
  void server.exited.then(() => {
    if (!expected) options.onFatal?.(`our own nats-server has ended; its log is in ${join(options.dataDir, 'nats')}`);
  });
  await writeFile(urlFile, `${server.url}\n`, { mode: 0o600 });
  closing.push(async () => {
    expected = true;
    await rm(urlFile, { force: true });
    await server.stop();
  });
  return server;
}
