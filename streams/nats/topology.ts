import { setTimeout as sleep } from 'node:timers/promises';
import {
  AckPolicy,
  type ConsumerConfig,
  DeliverPolicy,
  JetStreamApiError,
  ReplayPolicy,
  StorageType,
  type StreamConfig,
} from '@nats-io/jetstream';
import { Kvm } from '@nats-io/kv';
import { nanos } from '@nats-io/nats-core';
import { STREAMS } from '../../src/domain/subjects.ts';
import { configDifferences, type Difference, describeDifferences } from './config-difference.ts';
import type { NatsLink } from './connection.ts';
import { bucketNames, type StreamDefinition, streamDefinitions, type TopologyOptions } from './stream-definitions.ts';
import { fromApiFault, StreamError, toStreamError } from './stream-error.ts';

/** 10058: the stream exists with another configuration; 10148 is the same for a consumer. */
const ALREADY_EXISTS = new Set([10058, 10148, 10013]);
const SUBJECTS_OVERLAP = 10065;
const CONSUMER_NOT_FOUND = 10014;
const EVERYTHING = '>';
/** 10005: too few nodes for the replicas, or not enough known yet. 10074: one server alone. */
const NO_PEERS = /\(10005\)/;
const TOO_FEW_NODES = /\((10074|10005)\)$/;
/** Longer than an election of a leader takes (4–9 s). */
const SETTLES_WITHIN_MS = 20_000;

/**
 * Makes sure that all streams and buckets exist and are as the service needs them. Any number of replicas may run it at once.
 * Errors: `incompatible` names each setting of an existing stream that has to be changed by hand.
 */
export async function ensureTopology(link: NatsLink, options: TopologyOptions = {}): Promise<void> {
  if ((options.replicas ?? 1) > 1) refuseUnsafeReplicas(link, 'Streams and buckets', options.replicas);
  const steps = [
    ...streamDefinitions(options).map((definition) => () => settled(link, () => ensureStream(link, definition))),
    ...bucketNames().map((bucket) => () => settled(link, () => ensureBucket(link, bucket, options))),
  ];
  // A cluster elects a leader for each stream: one after the other. A single server answers all at once.
  if (link.clustered()) for (const step of steps) await step();
  else await Promise.all(steps.map((step) => step()));
}

/** A cluster that has just started elects its leaders and learns of its nodes: what it cannot do yet is tried again for a while. */
async function settled(link: NatsLink, ensure: () => Promise<void>): Promise<void> {
  const giveUpAt = performance.now() + SETTLES_WITHIN_MS;
  for (;;) {
    try {
      return await ensure();
    } catch (error) {
      const soon = error instanceof StreamError && (error.class === 'transient' || NO_PEERS.test(error.message));
      if (!link.clustered() || !soon || performance.now() > giveUpAt) throw error;
      await sleep(250);
    }
  }
}

async function ensureStream(link: NatsLink, definition: StreamDefinition): Promise<void> {
  const { name } = definition;
  const wanted = { ...definition.fixed, ...definition.tunable, subjects: [...definition.subjects] };
  const existing = await streamConfig(link, name);
  if (existing === undefined) {
    try {
      const created = await link.jsm.streams.add({ ...wanted, name, storage: StorageType.File });
      refuseDifferences('stream', name, configDifferences(wanted, created.config), 'was created, but');
      return;
    } catch (error) {
      // Another replica may have been faster, with settings of its own.
      if (!isApiError(error, ALREADY_EXISTS)) throw explainCreation(error, name, definition);
    }
  }
  await adjustStream(link, definition, existing ?? (await streamConfig(link, name)) ?? {});
}

async function adjustStream(link: NatsLink, definition: StreamDefinition, found: Partial<StreamConfig>): Promise<void> {
  const { name } = definition;
  if (name === STREAMS.outcomes) refuseUnsafeReplicas(link, `The stream ${name}`, found.num_replicas);
  refuseDifferences('stream', name, configDifferences({ ...definition.fixed, subjects: definition.subjects }, found));
  const asked = Object.fromEntries(
    Object.entries(definition.tunable).filter(([setting]) => [...definition.asked].some((key) => key === setting)),
  );
  if (configDifferences(asked, found).length === 0) return;
  const updated = await link.jsm.streams.update(name, asked).catch((error: unknown) => {
    throw explainReplicas(apiError(error, `change the stream ${name}`), definition.tunable.num_replicas);
  });
  refuseDifferences('stream', name, configDifferences(asked, updated.config));
}

async function streamConfig(link: NatsLink, name: string): Promise<StreamConfig | undefined> {
  try {
    return (await link.jsm.streams.info(name)).config;
  } catch (error) {
    const typed = apiError(error, `look at the stream ${name}`);
    if (typed.code === 'not-found') return undefined;
    throw typed;
  }
}

async function ensureBucket(link: NatsLink, bucket: string, options: TopologyOptions): Promise<void> {
  try {
    await new Kvm(link.js).create(bucket, {
      history: 1,
      storage: StorageType.File,
      allow_direct: true,
      ...(options.replicas === undefined ? {} : { replicas: options.replicas }),
    });
  } catch (error) {
    if (!isApiError(error, ALREADY_EXISTS))
      throw explainReplicas(apiError(error, `create the bucket ${bucket}`), options.replicas);
  }
  // A time to live would take away what the next owner of a lane must know.
  const found: Partial<StreamConfig> = (await streamConfig(link, `KV_${bucket}`)) ?? {};
  refuseDifferences('bucket', bucket, configDifferences({ max_age: 0, max_msgs_per_subject: 1 }, found));
  refuseUnsafeReplicas(link, `The bucket ${bucket}`, found.num_replicas);
  if (options.replicas === undefined || found.num_replicas === options.replicas) return;
  const asked = { num_replicas: options.replicas };
  const updated = await link.jsm.streams.update(`KV_${bucket}`, asked).catch((error: unknown) => {
    throw explainReplicas(apiError(error, `change the bucket ${bucket}`), options.replicas);
  });
  refuseDifferences('bucket', bucket, configDifferences(asked, updated.config));
}

/** Leases and outcomes rest on compare-and-set: without it two replicas would own one lane. */
function refuseUnsafeReplicas(link: NatsLink, what: string, replicas = 1): void {
  const { replicatedCompareAndSet, version } = link.capabilities();
  if (replicas === 1 || replicatedCompareAndSet) return;
  throw new StreamError(
    'unsupported-by-server',
    `${what} cannot have ${replicas} replicas on NATS ${version}, which confirms conflicting writes to replicated streams. ` +
      'Upgrade every node (2.10 or newer is safe), or use one replica.',
  );
}

export interface ConsumerRequest {
  readonly stream: string;
  readonly durable: string;
  /** Subjects to read; several need a server ≥ 2.10 (`unsupported-by-server` otherwise). */
  readonly filters: readonly string[];
  /** Default 30,000. */
  readonly ackWaitMs?: number;
  readonly maxAckPending?: number;
  /** Only for a consumer that does not exist yet: read what comes after this sequence. Excludes `deliverNew`. */
  readonly startAfterSequence?: number;
  /** Only for a consumer that does not exist yet: read only what comes from now on. */
  readonly deliverNew?: boolean;
}

/** Makes sure that a durable pull consumer exists with these settings; its position is never changed. */
export async function ensureConsumer(link: NatsLink, request: ConsumerRequest): Promise<{ readonly created: boolean }> {
  const { stream, durable } = request;
  const { multiFilter, version } = link.capabilities();
  if (request.filters.length > 1 && !multiFilter) {
    throw new StreamError(
      'unsupported-by-server',
      `The consumer ${durable} needs ${request.filters.length} filters, which NATS ${version} cannot do (2.10 or newer can)`,
    );
  }
  const settings = consumerSettings(request);
  const existing = await consumerConfig(link, stream, durable);
  if (existing === undefined) {
    try {
      const config = { ...settings, ...startPosition(request), durable_name: durable };
      const created = await link.jsm.consumers.add(stream, config);
      refuseDifferences('consumer', durable, configDifferences(settings, created.config), 'was created, but');
      return { created: true };
    } catch (error) {
      if (!isApiError(error, ALREADY_EXISTS)) throw apiError(error, `create the consumer ${durable} on ${stream}`);
    }
  }
  const found: Partial<ConsumerConfig> = existing ?? (await consumerConfig(link, stream, durable)) ?? {};
  const fixed = { ack_policy: AckPolicy.Explicit };
  refuseDifferences('consumer', durable, configDifferences(fixed, found));
  if (found.deliver_subject !== undefined) {
    throw new StreamError('incompatible', `The consumer ${durable} on ${stream} is a push consumer; remove it`);
  }
  if (sameFilters(settings, found) && configDifferences(settings, found).length === 0) return { created: false };
  const changes = { ...settings, ...filterChange(request, found) };
  const updated = await link.jsm.consumers.update(stream, durable, changes).catch((error: unknown) => {
    throw apiError(error, `change the consumer ${durable} on ${stream}`);
  });
  if (!sameFilters(settings, updated.config)) {
    throw new StreamError('incompatible', `The server keeps the old filters of the consumer ${durable} on ${stream}`);
  }
  return { created: false };
}

/** The two ways to name filters exclude each other, and an update leaves standing what it does not mention. */
function filterChange(request: ConsumerRequest, found: Partial<ConsumerConfig>): Partial<ConsumerConfig> {
  const severalNow = (found.filter_subjects ?? []).length > 0;
  if (!severalNow && request.filters.length <= 1) return { filter_subject: request.filters[0] ?? EVERYTHING };
  return { filter_subject: '', filter_subjects: [...request.filters] };
}

function consumerSettings(request: ConsumerRequest): Partial<ConsumerConfig> {
  const [only] = request.filters;
  return {
    ack_policy: AckPolicy.Explicit,
    ack_wait: nanos(request.ackWaitMs ?? 30_000),
    // Attempts are counted by the lane; the server must never give a change up.
    max_deliver: -1,
    max_ack_pending: request.maxAckPending ?? 1_000,
    ...(request.filters.length > 1 ? { filter_subjects: [...request.filters] } : {}),
    ...(request.filters.length === 1 && only !== undefined ? { filter_subject: only } : {}),
  };
}

function startPosition(request: ConsumerRequest): Partial<ConsumerConfig> {
  const replay = { replay_policy: ReplayPolicy.Instant };
  if (request.startAfterSequence !== undefined) {
    const first = { deliver_policy: DeliverPolicy.StartSequence, opt_start_seq: request.startAfterSequence + 1 };
    return { ...replay, ...first };
  }
  return { ...replay, deliver_policy: request.deliverNew === true ? DeliverPolicy.New : DeliverPolicy.All };
}

/** An extra filter at the server has to go as well, which comparing only what is wanted would not notice. */
function sameFilters(wanted: Partial<ConsumerConfig>, found: Partial<ConsumerConfig>): boolean {
  const all = (config: Partial<ConsumerConfig>) =>
    [config.filter_subject ?? '', ...(config.filter_subjects ?? [])]
      .filter((filter) => filter !== '' && filter !== EVERYTHING)
      .sort();
  return JSON.stringify(all(wanted)) === JSON.stringify(all(found));
}

async function consumerConfig(link: NatsLink, stream: string, durable: string): Promise<ConsumerConfig | undefined> {
  try {
    return (await link.jsm.consumers.info(stream, durable)).config;
  } catch (error) {
    const typed = apiError(error, `look at the consumer ${durable} on ${stream}`);
    if (isApiError(error, new Set([CONSUMER_NOT_FOUND]))) return undefined;
    throw typed;
  }
}

function refuseDifferences(kind: string, name: string, differences: readonly Difference[], how = 'exists, but'): void {
  if (differences.length === 0) return;
  throw new StreamError(
    'incompatible',
    `The ${kind} ${name} ${how} ${describeDifferences(differences)}. Change it (nats ${kind} edit) or remove it.`,
  );
}

function explainCreation(error: unknown, name: string, definition: StreamDefinition): StreamError {
  if (isApiError(error, new Set([SUBJECTS_OVERLAP]))) {
    const subjects = definition.subjects.join(', ');
    const message = `The stream ${name} cannot be created: another stream already takes ${subjects}. Remove it or its subjects.`;
    return new StreamError('incompatible', message, { cause: error });
  }
  const typed = apiError(error, `create the stream ${name}`);
  if (typed.code !== 'full') return explainReplicas(typed, definition.tunable.num_replicas);
  const message = `${typed.message}: it asks for ${definition.tunable.max_bytes} bytes; give JetStream more storage (max_file_store) or ask for less`;
  return new StreamError('full', message, { cause: error });
}

function explainReplicas(error: StreamError, replicas = 1): StreamError {
  if (!TOO_FEW_NODES.test(error.message)) return error;
  const message = `${error.message}. ${replicas} replicas need a cluster of at least as many nodes with JetStream; ask for fewer, or add nodes.`;
  return new StreamError('incompatible', message, { cause: error });
}

function isApiError(error: unknown, codes: ReadonlySet<number>): boolean {
  return error instanceof JetStreamApiError && codes.has(error.code);
}

function apiError(error: unknown, doing: string): StreamError {
  if (error instanceof JetStreamApiError) return fromApiFault(error.apiError(), doing);
  return toStreamError(error, doing);
}
