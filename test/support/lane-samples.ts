import { admitChange } from '../../actors/asset-coalescer/admit-change.ts';
import { newEntry } from '../../actors/asset-coalescer/asset-entry.ts';
import { holdDelivery } from '../../actors/channel-matcher/hold-delivery.ts';
import type { HeldChange } from '../../actors/lane/held-change.ts';
import type { Channel, Filter } from '../../src/channels/channel.ts';
import type { CompiledConfig } from '../../src/config/compiled.ts';
import { createLedger } from '../../src/domain/asset-ledger.ts';
import type { Snapshot } from '../../src/domain/snapshot.ts';
import type { SyncState } from '../../src/domain/sync-state.ts';

export const TARGET = 'pg_sales';
export const IDENTITY = { target: TARGET, lane: 'lane-pg_sales-0of1', epoch: 3 };
/** A whole number of milliseconds to count from. */
export const T0 = 1_800_000_000_000;

export function sampleFilter(matches: (state: Snapshot) => boolean, needsTags = false): Filter {
  return { matches, explain: (state) => ({ clause: 'sample', result: matches(state), children: [] }), needsTags };
}

export function sampleChannel(name: string, options: Partial<Channel> = {}): Channel {
  return {
    name,
    priority: 0,
    mode: 'write',
    filter: sampleFilter(() => true),
    update: new Set(['description', 'owners', 'tags']),
    levels: new Set(['table', 'column']),
    onDrift: 'overwrite',
    descriptionFormat: 'as-is',
    templates: [],
    acceptRace: false,
    ...options,
  };
}

export function sampleConfig(channels: readonly Channel[], options: Partial<CompiledConfig> = {}): CompiledConfig {
  const target = {
    service: TARGET,
    connector: 'memory',
    connection: {},
    rate: { perSecond: 1, burst: 1, concurrency: 1, batch: 10 },
    paused: false,
    partitions: 1,
  };
  return {
    revision: 1,
    hash: 'h',
    targets: new Map([[TARGET, target]]),
    channelsOf: () => channels,
    channels,
    owners: { map: new Map([['ana', 'role_ana']]), team: 'role', multiple: 'first' },
    ignoreUsers: new Set(['ingestion-bot']),
    ...options,
  };
}

export interface SampleEvent {
  readonly id?: string;
  readonly time?: number;
  readonly user?: string;
  readonly eventType?: string;
  readonly entityType?: 'table' | 'database';
  /** Field names with their old and new values. */
  readonly changes?: readonly (readonly [name: string, oldValue: unknown, newValue: unknown])[];
  /** Members of the entity, beside those that every sample has; undefined ones are left out. */
  readonly entity?: Readonly<Record<string, unknown>>;
  readonly withoutEntity?: boolean;
  /** The version that an undo leaves. */
  readonly undoes?: number;
  /** What the server tells about when fields were changed. */
  readonly summary?: Readonly<Record<string, { readonly changedAt: number; readonly changedBy: string }>>;
}

/** An event as a server sends it, about `pg_sales.shop.public.orders` (or about its database). */
export function sampleEvent(options: SampleEvent = {}): string {
  const {
    id = 'e1',
    time = T0,
    user = 'ana',
    entityType = 'table',
    changes = [['description', 'old', 'new']],
  } = options;
  const fqn = entityType === 'table' ? `${TARGET}.shop.public.orders` : `${TARGET}.shop`;
  const reference = (type: string, name: string, of: string) => ({ id: type, type, name, fullyQualifiedName: of });
  const entity = {
    id: 'entity-1',
    name: entityType === 'table' ? 'orders' : 'shop',
    fullyQualifiedName: fqn,
    description: 'new',
    version: (time - T0) / 1_000 + 1,
    updatedAt: time,
    columns: [{ name: 'amount', dataType: 'INT', fullyQualifiedName: `${fqn}.amount`, tags: [] }],
    tags: [],
    owners: [],
    databaseSchema: reference('databaseSchema', 'public', `${TARGET}.shop.public`),
    database: reference('database', 'shop', `${TARGET}.shop`),
    service: reference('databaseService', TARGET, TARGET),
    deleted: false,
    ...options.entity,
  };
  return JSON.stringify({
    id,
    eventType: options.eventType ?? 'entityUpdated',
    entityType,
    entityId: 'entity-1',
    entityFullyQualifiedName: fqn,
    currentVersion: entity.version,
    userName: user,
    timestamp: time,
    changeDescription: {
      fieldsAdded: [],
      fieldsUpdated: changes.map(([name, oldValue, newValue]) => ({ name, oldValue, newValue })),
      fieldsDeleted: [],
      previousVersion: options.undoes ?? entity.version - 0.1,
      ...(options.summary === undefined ? {} : { changeSummary: options.summary }),
    },
    ...(options.withoutEntity === true ? {} : { entity: JSON.stringify(entity) }),
  });
}

/** The event as a lane holds it. `acks` hears of its acknowledgement. */
export function sampleHeld(
  sequence: number,
  event: SampleEvent,
  config: CompiledConfig,
  options: { readonly headers?: Readonly<Record<string, string>>; readonly acks?: number[] } = {},
): HeldChange {
  const held = holdDelivery(
    {
      subject: 'change.sample',
      sequence,
      deliveryCount: 1,
      streamTime: T0,
      headers: options.headers ?? {},
      data: Buffer.from(sampleEvent({ id: `e${sequence}`, ...event })),
      pending: 0,
      ack: () => void options.acks?.push(sequence),
      nak: () => undefined,
    },
    IDENTITY,
    config,
    T0 + 100,
  );
  if (held === undefined) throw new Error('the sample is no change');
  return held;
}

/** An asset's entry with these changes admitted, in the order given. */
export function sampleEntry(changes: readonly HeldChange[], config: CompiledConfig, state?: SyncState) {
  const [first] = changes;
  if (first === undefined) throw new Error('an entry needs a change');
  const entry = newEntry(first.asset, first.key, 'outcome.sample', createLedger(first.asset, state));
  for (const held of changes) admitChange(entry, held, TARGET, config, T0 + 200);
  return entry;
}
