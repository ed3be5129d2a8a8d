import type { ActorRef, ActorSystem } from '../../../actors/kernel/index.ts';
import { createActorSystem, restart } from '../../../actors/kernel/index.ts';
import { createTestKit, type TestKit } from '../../../actors/kernel/test-kit.ts';
import type { LaneMessage, lane as laneBehavior } from '../../../actors/lane/lane.ts';
import type { ChannelHolds } from '../../../src/channels/channel-holds.ts';
import type { CompiledConfig } from '../../../src/config/compiled.ts';
import type { CatalogueReader } from '../../../src/domain/catalogue-reader.ts';
import { parseSnapshot } from '../../../src/domain/parse-snapshot.ts';
import type { CreditLimits, Lease } from '../../../streams/nats/contract.ts';
import { type Publication, TARGET } from './catalogue-content.ts';
import { configurations } from './configurations.ts';
import { editingSessions } from './editing-sessions.ts';
import { drawFaults, type Faults } from './faults.ts';
import { judgeRun, type Verdict } from './judge-run.ts';
import { ModelGuard } from './model-guard.ts';
import { ModelLease } from './model-lease.ts';
import { ModelStore } from './model-store.ts';
import { ModelSource, ModelStream } from './model-stream.ts';
import { type ErrorClass, ModelTarget } from './model-target.ts';
import { ReplicaSite } from './replica-site.ts';

/** The code under test; a mutant brings its own. */
export interface LaneModule {
  readonly lane: typeof laneBehavior;
  readonly ConnectorError: ErrorClass;
}

export interface WorldOptions {
  /** The lane changes hands again and again, and outcomes of the owner before come in late. */
  readonly contested?: boolean;
  /** Channels clear little before they wait for a person, and one is paused for a while. */
  readonly holding?: boolean;
  /** False: a new owner does not end the sessions of the one before it, and owners are frozen again and again. */
  readonly fence?: boolean;
}

export interface WorldVerdict extends Verdict {
  /** How often a clear had to wait for a person. */
  readonly refused: number;
}

interface Replica {
  readonly system: ActorSystem;
  readonly ref: ActorRef<LaneMessage>;
  readonly site: ReplicaSite;
  leaving: boolean;
  source: ModelSource | undefined;
  lease: Lease | undefined;
  held: number;
}

const START = 1_800_000_000_000;
const CREDITS = { messages: 16, bytes: 64 * 1024 };
/** So few that waiting assets have to be parked. */
const FEW_CREDITS = { messages: 4, bytes: 64 * 1024 };
/** A run that is not at rest so long after the last edit never will be. */
const LIMIT_MS = 900_000;

/** One run: a seed decides the edits, the faults, the order of everything, and when owners come and go. */
export async function runWorld(module: LaneModule, seed: number, options: WorldOptions = {}): Promise<WorldVerdict> {
  const world = new World(module, seed, options);
  await world.run();
  return world.verdict();
}

class World {
  readonly #module: LaneModule;
  readonly #kit: TestKit;
  readonly #credits: CreditLimits;
  /** In some runs whatever is delivered again is handled alone. */
  readonly #aloneAfter: number;
  readonly #filtered: boolean;
  readonly #edits: ReturnType<typeof editingSessions>;
  readonly #span: number;
  readonly #faults: Faults;
  readonly #options: WorldOptions;
  readonly #store: ModelStore;
  readonly #stream: ModelStream;
  readonly #target: ModelTarget;
  readonly #leases: ModelLease;
  readonly #guard: ModelGuard;
  readonly #replicas: Replica[] = [];
  readonly #published = new Map<number, Publication>();
  readonly #drainings: Promise<void>[] = [];
  readonly #wrongs: string[] = [];
  #config: CompiledConfig;
  #paused = false;

  constructor(module: LaneModule, seed: number, options: WorldOptions) {
    this.#module = module;
    this.#options = options;
    const kit = createTestKit({ seed, startAt: START });
    this.#kit = kit;
    this.#credits = seed % 3 === 0 ? FEW_CREDITS : CREDITS;
    this.#aloneAfter = seed % 4 === 0 ? 2 : 20;
    this.#filtered = kit.random() < 0.4;
    // Most runs are small: what many changes bring to light, many small runs find cheaper.
    const many = kit.random() < 0.25;
    const few = options.fence === false ? 1 : 2 + Math.floor(kit.random() * 3);
    const tables = Array.from({ length: many ? 5 : few }, (_, i) => `t${many ? i : 4 - i}`);
    this.#edits = editingSessions(kit.random, {
      tables,
      edits: many || options.fence === false ? 28 : 8 + Math.floor(kit.random() * 8),
      start: START,
      filtered: this.#filtered,
    });
    this.#span = this.#edits.end - START;
    const { contested = false, fence = true } = options;
    this.#faults = drawFaults(kit.random, { start: START, span: this.#span, contested, fence });
    const stream: ModelStream = new ModelStream(kit, (sequence) => this.#acknowledged(sequence));
    this.#stream = stream;
    this.#store = new ModelStore(kit, () => stream);
    this.#target = new ModelTarget(kit, this.#faults.target, module.ConnectorError);
    this.#leases = new ModelLease(kit);
    const tell = (holds: ChannelHolds): void => this.#tell({ type: 'holds', holds });
    this.#guard = new ModelGuard(kit, () => stream.entries.length, tell);
    this.#config = configurations(this.#filtered, options.holding)[0];
  }

  async run(): Promise<void> {
    const kit = this.#kit;
    for (const publication of this.#edits.publications)
      kit.scheduler.setTimer(publication.at - START, () => this.#publish(publication));
    this.#startReplica();
    if (kit.random() < 0.6) this.#startReplica();
    this.#planEvents();
    const overdue = (): boolean => kit.clock.now() > START + this.#span + LIMIT_MS;
    const published = (): boolean => this.#stream.entries.length === this.#edits.publications.length;
    const settled = (): boolean => this.#stream.allAcked() && this.#store.parked().length === 0;
    await kit.run(() => (published() && settled()) || overdue());
    if (!overdue()) return this.#end();
    const stuck = this.#stream.entries.filter(({ acked }) => !acked).map(({ sequence }) => sequence);
    this.#wrongs.push(`not at rest: ${stuck.join(', ')} are never acknowledged, ${this.#store.parked()} stay parked`);
  }

  verdict(): WorldVerdict {
    const verdict = judgeRun(
      {
        tables: this.#edits.tables,
        published: this.#published,
        store: this.#store,
        target: this.#target,
        bad: this.#faults.bad,
        filtered: this.#filtered,
        noDoubt: this.#faults.unreachable === 0,
      },
      this.#wrongs,
    );
    return { ...verdict, refused: this.#guard.refused };
  }

  #publish(publication: Publication): void {
    const sequence = this.#stream.publish(publication.body, publication.headers);
    if (!('backflow-replay-target' in publication.headers)) this.#published.set(sequence, publication);
  }

  #acknowledged(sequence: number): void {
    const { headers } = this.#stream.entries[sequence - 1] ?? { headers: {} };
    const away = this.#store.isParked(sequence) && this.#store.parking.has(sequence);
    if (!('backflow-replay-target' in headers) && !this.#store.settled.has(sequence) && !away)
      this.#wrongs.push(`${sequence} is acknowledged before its outcome is stored`);
  }

  /** What happens to the replicas and their lane in the course of the run. */
  #planEvents(): void {
    const { random, scheduler } = this.#kit;
    const chance = (share: number): boolean => random() < share;
    const at = (share: number, what: () => void): void => void scheduler.setTimer(this.#span * share, what);
    const sometime = (): number => 0.1 + random();
    const { contested = false, fence = true, holding = false } = this.#options;
    if (holding)
      for (const [share, channels] of [[0.35, ['docs']] as const, [0.6, []] as const])
        at(share, () => this.#guard.pause(channels));
    if (contested) for (const share of [0.2, 0.5, 0.8, 1.1]) at(share, () => this.#leases.revoke());
    if (chance(0.2)) at(sometime(), () => this.#leases.revoke());
    const longer = (): number => Math.floor(random() * (chance(0.5) ? 9_000 : 45_000));
    if (chance(0.3)) at(sometime(), () => this.#pick()?.site.freeze(longer()));
    if (chance(0.3)) at(sometime(), () => this.#pick()?.site.cutOff(longer()));
    // All of them at once: NATS itself is away.
    if (chance(0.2)) {
      const ms = longer();
      at(sometime(), () => {
        for (const { site } of this.#living()) site.cutOff(ms);
      });
    }
    if (!fence) for (const share of [0.1, 0.3, 0.5, 0.7]) at(share, () => this.#owner()?.site.freeze(15_000));
    if (chance(0.25)) {
      at(sometime(), () => {
        const victim = this.#pick();
        if (victim === undefined) return;
        this.#startReplica();
        victim.site.kill();
      });
    }
    if (chance(0.3)) {
      at(sometime(), () => {
        const leaving = this.#pick();
        if (leaving === undefined) return;
        this.#startReplica();
        this.#drainings.push(this.#drain(leaving));
      });
    }
    if (chance(0.25))
      for (const [share, paused] of [[0.3, true] as const, [0.5, false] as const]) at(share, () => this.#pause(paused));
    if (chance(0.4)) {
      at(random(), () => {
        [, this.#config] = configurations(this.#filtered, this.#options.holding);
        this.#tell({ type: 'configure', config: this.#config });
      });
    }
  }

  /** Everybody drains, and nothing may be left over. */
  async #end(): Promise<void> {
    let done = false;
    void Promise.all([...this.#drainings, ...this.#living().map((replica) => this.#drain(replica))])
      .catch((error: unknown) => this.#wrongs.push(`a drain failed: ${String(error)}`))
      .finally(() => {
        done = true;
      });
    await this.#kit.run(() => done);
    if (!done) this.#wrongs.push('not at rest: a drain never ends');
  }

  #living(): readonly Replica[] {
    return this.#replicas.filter(({ site, leaving }) => !site.dead && !leaving);
  }

  #pick(): Replica | undefined {
    const living = this.#living();
    return living[Math.floor(this.#kit.random() * living.length)];
  }

  #owner(): Replica | undefined {
    return this.#living().find(({ lease }) => lease?.valid() ?? false);
  }

  #tell(message: LaneMessage): void {
    for (const { ref } of this.#living()) void ref.offer(message).catch(() => undefined);
  }

  #pause(paused: boolean): void {
    this.#paused = paused;
    this.#tell({ type: 'pause', paused });
  }

  async #drain(replica: Replica): Promise<void> {
    replica.leaving = true;
    await replica.ref.ask((replyTo) => ({ type: 'drain', replyTo }), { timeoutMs: 120_000 });
    // Killed while it drained.
    if (replica.site.dead) return;
    replica.site.kill();
    const left = replica.source?.creditsInUse().messages ?? 0;
    if (left > 0) this.#wrongs.push(`${left} credits are not back after a drain`);
    if (replica.held > 0) this.#wrongs.push(`${replica.held} changes are held after a drain`);
  }

  #startReplica(): void {
    const kit = this.#kit;
    const { random } = kit;
    const site = new ReplicaSite(kit);
    const system = createActorSystem({ clock: kit.clock, random, scheduler: site.scheduler });
    const catalogue = this.#catalogue(site);
    const { trouble, lateOutcomes, lostAcks } = this.#faults;
    const troubleEnds = START + this.#span + 60_000;
    const side = {
      site,
      valid: () => replica.lease?.valid() ?? false,
      trouble: () => (kit.clock.now() < troubleEnds ? trouble : 0),
      slow: lateOutcomes,
    };
    const ref = system.spawn(
      this.#module.lane({
        lane: 'lane-model',
        target: TARGET,
        partition: 0,
        connector: this.#target.connector,
        settings: () => ({ config: this.#config, paused: this.#paused, holds: this.#guard.holds() }),
        limits: this.#credits,
        batchSize: 4,
        cacheBytes: 6_000,
        aloneAfter: this.#aloneAfter,
        random,
        host: {
          claim: async () => {
            await kit.sleep(5);
            await site.online();
            replica.lease = this.#leases.take(site) ?? replica.lease;
            return replica.lease?.valid() === true ? replica.lease : undefined;
          },
          openSource: async () => {
            await kit.sleep(5);
            await site.online();
            replica.source = new ModelSource(this.#stream, site, this.#credits, lostAcks);
            return replica.source;
          },
          ports: (epoch) => ({
            store: this.#store.port(side),
            suspects: this.#store.suspects(side),
            connect: () => this.#target.connect(epoch, site),
            ackFloor: () => this.#stream.ackFloor(),
            guard: this.#guard.of(site),
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
          limit: async (_statements, signal) => {
            await kit.sleep(random() < 0.1 ? 300 : 1);
            await site.running();
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
    const replica: Replica = { system, ref, site, leaving: false, source: undefined, lease: undefined, held: 0 };
    this.#replicas.push(replica);
  }

  #catalogue(site: ReplicaSite): CatalogueReader | undefined {
    const { unreachable } = this.#faults;
    if (unreachable === undefined) return undefined;
    const kit = this.#kit;
    const { end, tables } = this.#edits;
    return {
      async read(asset) {
        await kit.sleep(5 + Math.floor(kit.random() * 200));
        await site.running();
        if (kit.random() < unreachable) return { kind: 'unreachable', message: 'timeout' };
        // The answer is the catalogue as it stands in the end, so it is only given once it does.
        const now = kit.clock.now();
        if (now < end) await kit.sleep(end - now);
        await site.running();
        const table = tables.find(({ name }) => asset.fqn.endsWith(`.${name}`));
        const json = table?.state === 'there' ? table.read() : undefined;
        const snapshot = json === undefined ? undefined : parseSnapshot(toJson(json), 'table', asset.fqn);
        return snapshot === undefined ? { kind: 'gone' } : { kind: 'found', snapshot, serverTime: end };
      },
    };
  }
}

/** As it comes over the wire. */
function toJson(entity: Readonly<Record<string, unknown>>): Parameters<typeof parseSnapshot>[0] {
  return JSON.parse(JSON.stringify(entity));
}
