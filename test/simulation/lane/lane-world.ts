import type { ActorRef, ActorSystem } from '../../../actors/kernel/index.ts';
import { createActorSystem, restart } from '../../../actors/kernel/index.ts';
import { createTestKit, type TestKit } from '../../../actors/kernel/test-kit.ts';
import type { LaneMessage, lane as laneBehavior } from '../../../actors/lane/lane.ts';
import type { Channel } from '../../../src/channels/channel.ts';
import type { CompiledConfig } from '../../../src/config/compiled.ts';
import type { CatalogueReader } from '../../../src/domain/catalogue-reader.ts';
import type { OutcomeItem, SupersededItem } from '../../../src/domain/outcome.ts';
import { parseSnapshot } from '../../../src/domain/parse-snapshot.ts';
import type { Lease } from '../../../streams/nats/contract.ts';
import { BOT, editingSessions, entityOf, PARTS, TARGET } from './editing-sessions.ts';
import { ModelStore, said } from './model-store.ts';
import { ModelSource, ModelStream } from './model-stream.ts';
import { type ErrorClass, ModelTarget, placeOf, type TargetFaults } from './model-target.ts';

/** The code under test; a mutant brings its own. */
export interface LaneModule {
  readonly lane: typeof laneBehavior;
  readonly ConnectorError: ErrorClass;
}

/** What a run came to. `wrongs` is empty when every promise was kept. */
export interface Verdict {
  readonly wrongs: readonly string[];
  readonly compared: number;
  readonly changes: number;
  readonly statuses: ReadonlyMap<string, number>;
  readonly items: readonly (OutcomeItem | SupersededItem)[];
}

const START = 1_800_000_000_000;
const CREDITS = { messages: 16, bytes: 64 * 1024 };
const LIMIT_MS = 900_000;
const ALL_TRUE: Channel['filter'] = {
  matches: () => true,
  explain: () => ({ clause: 'true', result: true, children: [] }),
  needsTags: false,
};

function channel(name: string, priority: number): Channel {
  return {
    name,
    priority,
    mode: 'write',
    filter: ALL_TRUE,
    update: new Set(['description', 'owners']),
    levels: new Set(['table', 'column']),
    onDrift: 'overwrite',
    descriptionFormat: 'as-is',
    templates: [],
    acceptRace: false,
  };
}

function configuration(revision: number, channels: readonly Channel[]): CompiledConfig {
  const target = {
    service: TARGET,
    connector: 'memory',
    connection: {},
    rate: { perSecond: 100, burst: 100, concurrency: 1, batch: 4 },
    paused: false,
    partitions: 1,
  };
  return {
    revision,
    hash: String(revision),
    targets: new Map([[TARGET, target]]),
    channelsOf: () => channels,
    channels,
    owners: {
      map: new Map([
        ['ana', 'role_ana'],
        ['ben', 'role_ben'],
      ]),
      team: 'role',
      multiple: 'first',
    },
    ignoreUsers: new Set([BOT]),
  };
}

interface Replica {
  readonly system: ActorSystem;
  readonly ref: ActorRef<LaneMessage>;
  dead: boolean;
  leaving: boolean;
  source: ModelSource | undefined;
  held: number;
}

/** The lease of the one lane. */
class ModelLease {
  #holder: { readonly replica: Replica; lose: () => void; valid: boolean; epoch: number } | undefined;
  #freeAt = 0;
  #epoch = 0;
  #abandoned = false;
  #data: Readonly<Record<string, unknown>> = {};
  readonly #kit: TestKit;

  constructor(kit: TestKit) {
    this.#kit = kit;
  }

  get epoch(): number {
    return this.#epoch;
  }

  take(replica: Replica): Lease | undefined {
    const kit = this.#kit;
    if (this.#holder !== undefined || kit.clock.now() < this.#freeAt || replica.dead) return undefined;
    this.#epoch += 1;
    const { promise, resolve } = Promise.withResolvers<void>();
    const holder = { replica, lose: resolve, valid: true, epoch: this.#epoch };
    this.#holder = holder;
    return {
      key: 'lane',
      epoch: holder.epoch,
      takenOver: this.#abandoned,
      valid: () => holder.valid && !replica.dead,
      lost: promise,
      data: () => this.#data,
      update: async (data) => {
        if (this.#holder === holder) this.#data = data;
      },
      release: async () => {
        if (this.#holder === holder) {
          this.#holder = undefined;
          this.#abandoned = false;
        }
        holder.valid = false;
      },
    };
  }

  /** The renewals of the present holder fail: it notices first, others may take the lease some seconds later. */
  revoke(): void {
    const holder = this.#holder;
    if (holder === undefined) return;
    holder.valid = false;
    this.#holder = undefined;
    this.#abandoned = true;
    this.#freeAt = this.#kit.clock.now() + 4_000;
    this.#kit.scheduler.setTimer(Math.floor(this.#kit.random() * 2_000), holder.lose);
  }
}

export interface WorldOptions {
  readonly tables?: number;
  readonly edits?: number;
  /** The lane changes hands again and again, and outcomes of the owner before come in late. */
  readonly contested?: boolean;
}

/** One run: a seed decides the edits, the faults, the order of everything, and when owners come and go. */
export async function runWorld(module: LaneModule, seed: number, options: WorldOptions = {}): Promise<Verdict> {
  const kit = createTestKit({ seed, startAt: START });
  const { random } = kit;
  const chance = (share: number): boolean => random() < share;
  const tables = Array.from({ length: options.tables ?? 5 }, (_, i) => `t${i}`);
  const edits = editingSessions(random, tables, options.edits ?? 24, START);
  const span = edits.end - START;
  const store = new ModelStore(kit, () => stream);
  const stream: ModelStream = new ModelStream(kit, (sequence) => {
    const { headers } = stream.entries[sequence - 1] ?? { headers: {} };
    if (!('backflow-replay-target' in headers) && !store.settled.has(sequence))
      store.wrongs.push(`${sequence} is acknowledged before its outcome is stored`);
  });
  const bad = { forbidden: chance(0.3) ? 't0' : '', missing: chance(0.3) ? 't1' : '', locked: chance(0.2) ? 't2' : '' };
  const faults: TargetFaults = {
    flaky: new Map([
      ['t3', chance(0.4) ? 1 + Math.floor(random() * 3) : 0],
      [bad.locked, Number.POSITIVE_INFINITY],
    ]),
    forbidden: new Set([bad.forbidden]),
    missing: new Set([bad.missing]),
    outages: chance(0.4) ? [[START + span * 0.3, START + span * 0.3 + 2_000 + random() * 20_000]] : [],
    lostAnswers: chance(0.3) ? 0.1 : 0,
  };
  const target = new ModelTarget(kit, faults, module.ConnectorError);
  const leases = new ModelLease(kit);
  const trouble = chance(0.3) ? 0.04 : 0;
  const troubleEnds = START + span + 60_000;
  const slow = options.contested === true ? 0.5 : chance(0.3) ? 0.1 : 0;
  const lostAcks = chance(0.3) ? 0.1 : 0;
  const unreachable = chance(0.3) ? 0.4 : 0;
  const catalogue: CatalogueReader | undefined = chance(0.4)
    ? {
        async read(asset) {
          await kit.sleep(5 + Math.floor(random() * 200));
          if (random() < unreachable) return { kind: 'unreachable', message: 'timeout' };
          // The answer is the catalogue as it stands in the end, so it is only given once it does.
          const now = kit.clock.now();
          if (now < edits.end) await kit.sleep(edits.end - now);
          const table = edits.tables.find(({ name }) => asset.fqn.endsWith(`.${name}`));
          const snapshot =
            table === undefined ? undefined : parseSnapshot(entityOf(table, edits.end), 'table', asset.fqn);
          return snapshot === undefined ? { kind: 'gone' } : { kind: 'found', snapshot, serverTime: edits.end };
        },
      }
    : undefined;
  const docs = channel('docs', 10);
  const extra = channel('extra', 1);
  let config = configuration(1, [docs, extra]);
  let paused = false;
  const replicas: Replica[] = [];

  function startReplica(): void {
    const system = createActorSystem({ clock: kit.clock, random, scheduler: kit.scheduler });
    const alive = {
      dead: () => replica.dead,
      trouble: () => (kit.clock.now() < troubleEnds ? trouble : 0),
      slow,
    };
    const ref = system.spawn(
      module.lane({
        lane: 'lane-model',
        target: TARGET,
        partition: 0,
        connector: target.connector,
        settings: () => ({ config, paused }),
        limits: CREDITS,
        batchSize: 4,
        cacheBytes: 12_000,
        random,
        host: {
          async claim() {
            await kit.sleep(5);
            return leases.take(replica);
          },
          async openSource() {
            await kit.sleep(5);
            replica.source = new ModelSource(stream, CREDITS, lostAcks);
            return replica.source;
          },
          ports: (epoch) => ({
            store: store.port(alive),
            connect: () => target.connect(epoch, () => replica.dead),
            ackFloor: () => stream.ackFloor(),
            ...(catalogue === undefined ? {} : { catalogue }),
            observe: {
              outcome: () => undefined,
              deadLetter: () => undefined,
              limiterWait: () => undefined,
              target: () => undefined,
              progress: ({ held }) => {
                replica.held = held;
              },
            },
          }),
          async limit(_statements, signal) {
            await kit.sleep(random() < 0.1 ? 300 : 1);
            signal.throwIfAborted();
            return 1;
          },
        },
      }),
      {
        name: 'lane',
        mailbox: { capacity: 64, overflow: 'wait' },
        supervision: restart({ minMs: 50, maxMs: 2_000, maxRestarts: Number.POSITIVE_INFINITY }),
      },
    );
    const replica: Replica = { system, ref, dead: false, leaving: false, source: undefined, held: 0 };
    replicas.push(replica);
  }

  const keysOf = new Map<number, readonly string[]>();
  for (const publication of edits.publications) {
    kit.scheduler.setTimer(publication.at - START, () => {
      const sequence = stream.publish(publication.body, publication.headers);
      if (!('backflow-replay-target' in publication.headers)) keysOf.set(sequence, publication.keys ?? []);
    });
  }
  startReplica();
  if (chance(0.5)) startReplica();
  const living = (): Replica[] => replicas.filter((replica) => !replica.dead && !replica.leaving);
  const tell = (message: LaneMessage): void => {
    for (const { ref } of living()) void ref.offer(message).catch(() => undefined);
  };
  const at = (share: number, what: () => void): void => void kit.scheduler.setTimer(span * share, what);
  const drainings: Promise<void>[] = [];
  if (options.contested === true) for (const share of [0.2, 0.5, 0.8, 1.1]) at(share, () => leases.revoke());
  if (chance(0.3)) at(0.2 + random(), () => leases.revoke());
  if (chance(0.25)) {
    at(0.2 + random(), () => {
      const [victim] = living();
      if (victim === undefined) return;
      startReplica();
      victim.dead = true;
      victim.source?.kill();
      leases.revoke();
    });
  }
  if (chance(0.3)) {
    at(0.2 + random(), () => {
      const [leaving] = living();
      if (leaving === undefined) return;
      startReplica();
      drainings.push(drain(leaving));
    });
  }
  if (chance(0.3)) {
    at(0.3, () => {
      paused = true;
      tell({ type: 'pause', paused });
    });
    at(0.5, () => {
      paused = false;
      tell({ type: 'pause', paused });
    });
  }
  if (chance(0.4)) {
    at(random(), () => {
      config = configuration(2, [docs]);
      tell({ type: 'configure', config });
    });
  }

  async function drain(replica: Replica): Promise<void> {
    replica.leaving = true;
    await replica.ref.ask((replyTo) => ({ type: 'drain', replyTo }), { timeoutMs: 60_000 });
    // Killed while it drained.
    if (replica.dead) return;
    replica.dead = true;
    const left = replica.source?.creditsInUse().messages ?? 0;
    if (left > 0) store.wrongs.push(`${left} credits are not back after a drain`);
    if (replica.held > 0) store.wrongs.push(`${replica.held} changes are held after a drain`);
  }

  const published = (): boolean => stream.entries.length === edits.publications.length;
  const overdue = (): boolean => kit.clock.now() > START + span + LIMIT_MS;
  await kit.run(() => (published() && stream.allAcked()) || overdue());
  const wrongs: string[] = [];
  if (overdue()) {
    const stuck = stream.entries.filter(({ acked }) => !acked).map(({ sequence }) => sequence);
    wrongs.push(`not at rest: ${stuck.join(', ')} are never acknowledged`);
  } else {
    let done = false;
    void Promise.all([...drainings, ...living().map(drain)])
      .catch((error: unknown) => wrongs.push(`a drain failed: ${String(error)}`))
      .finally(() => {
        done = true;
      });
    await kit.run(() => done);
  }
  return judge(edits, keysOf, store, target, bad, wrongs);
}

function judge(
  edits: ReturnType<typeof editingSessions>,
  keysOf: ReadonlyMap<number, readonly string[]>,
  store: ModelStore,
  target: ModelTarget,
  bad: { readonly forbidden: string; readonly missing: string; readonly locked: string },
  before: readonly string[],
): Verdict {
  const wrongs = [...before, ...store.wrongs];
  const isBad = (table: string): boolean => Object.values(bad).includes(table);
  for (const [sequence, keys] of keysOf) {
    if (!store.settled.has(sequence)) wrongs.push(`${sequence} is never settled`);
    const recorded = [...store.items.values()].filter((item) => item.sequence === sequence);
    for (const key of keys) {
      const named = recorded.filter((item) => `${item.aspect ?? ''} ${item.object}` === key);
      const ofChannel = named.filter(({ channel }) => channel === 'docs' || channel === undefined);
      // A change that touches nothing by itself may show a description that came in silence, and then has that one's key.
      const other = key === ' ' && recorded.length > 0;
      if (ofChannel.length !== 1 && !other) wrongs.push(`${sequence} has ${ofChannel.length} outcomes for ${key}`);
    }
  }
  let compared = 0;
  for (const table of edits.tables) {
    if (isBad(table.name)) continue;
    for (const part of PARTS) {
      const wanted = table.content[part];
      if (table.loose.has(part) || wanted === undefined) continue;
      const column = part === 'a' || part === 'b' ? [part] : undefined;
      const aspect = part === 'owner' ? 'owners' : 'description';
      const value = target.values.get(
        placeOf({ table: table.name, ...(column === undefined ? {} : { column }) }, aspect),
      );
      compared += 1;
      const expected = part === 'owner' ? `role_${wanted}` : wanted;
      if (value !== expected) wrongs.push(`${table.name} ${part} is ${value}, not ${expected}`);
    }
  }
  const statuses = new Map<string, number>();
  for (const item of store.items.values()) {
    const status = 'status' in item ? item.status : 'superseded';
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    if (status !== 'failed' || item.aspect === undefined) continue;
    const body = edits.publications.find((one) => one.body.includes(item.eventId));
    if (!isBad(body?.table ?? ''))
      wrongs.push(`${item.sequence} ${item.aspect} ended ${said(item)} although its table is well`);
  }
  return { wrongs, compared, changes: keysOf.size, statuses, items: [...store.items.values()] };
}
