import { map, type Subscription } from 'rxjs';
import type { Connector } from '../../connectors/contract.ts';
import { type ChannelHolds, NO_HOLDS } from '../../src/channels/channel-holds.ts';
import type { CompiledConfig } from '../../src/config/compiled.ts';
import type { CreditLimits, Lease, PullSource } from '../../streams/nats/contract.ts';
import { assetCoalescer } from '../asset-coalescer/asset-coalescer.ts';
import type { LaneIdentity } from '../asset-coalescer/close-work.ts';
import type { CoalescerMessage, DrainAnswer } from '../asset-coalescer/coalescer-messages.ts';
import { channelMatcher, type MatcherMessage } from '../channel-matcher/channel-matcher.ts';
import { connectorDispatcher, type DispatcherMessage } from '../connector-dispatcher/connector-dispatcher.ts';
import type { ActorRef, Recipient } from '../kernel/actor-ref.ts';
import type { ActorContext, Behavior } from '../kernel/behavior.ts';
import type { Timer } from '../kernel/scheduling.ts';
import { type RendererMessage, templateRenderer } from '../template-renderer/template-renderer.ts';
import { DeliveriesInHand } from './deliveries-in-hand.ts';
import type { LanePorts } from './lane-ports.ts';
import { pullInto } from './pull-into.ts';
import { sourceStopped } from './source-stopped.ts';
import { SUSPECT_AFTER } from './suspects.ts';
import { whileOpen } from './while-open.ts';

/** What a lane is in now; see `lane`. */
export type LanePhase = 'claiming' | 'running' | 'paused' | 'draining' | 'stopped';

/** A row of the lane table. */
export interface LaneStatus {
  readonly lane: string;
  readonly target: string;
  readonly partition: number;
  readonly phase: LanePhase;
  readonly epoch: number | undefined;
  readonly lastError: string | undefined;
}

export type LaneMessage =
  | { readonly type: 'claim' }
  /** The lane has become free: it is claimed without waiting for the next time. */
  | { readonly type: 'free' }
  | { readonly type: 'claimed'; readonly lease: Lease; readonly source: PullSource }
  | { readonly type: 'refused'; readonly reason: string | undefined }
  | { readonly type: 'lost'; readonly epoch: number }
  | { readonly type: 'configure'; readonly config: CompiledConfig }
  | { readonly type: 'pause'; readonly paused: boolean }
  /** What channels hold back on the target has changed. */
  | { readonly type: 'holds'; readonly holds: ChannelHolds }
  | { readonly type: 'drain'; readonly replyTo: Recipient<DrainAnswer> }
  /** Drains, gives the lane back, and stays ready to take it again. */
  | { readonly type: 'hand-over' }
  | { readonly type: 'status'; readonly replyTo: Recipient<LaneStatus> };

/** What binds a lane to the outside; made by the composition root. */
export interface LaneHost {
  /** The lane's lease, or undefined while another replica holds it or should have it. */
  claim(): Promise<Lease | undefined>;
  /** The lane's pull source; makes the durable consumer when it is missing. */
  openSource(lease: Lease, limits: CreditLimits): Promise<PullSource>;
  ports(epoch: number): LanePorts;
  limit(statements: number, signal: AbortSignal): Promise<number>;
  /** The target has asked to slow down: from now on `limit` grants less, for a while. */
  throttled?(retryAfterMs: number | undefined): void;
}

export interface LaneOptions {
  readonly lane: string;
  readonly target: string;
  readonly partition: number;
  readonly connector: Connector;
  /** What is in force now; asked for whenever the lane starts, after a failure as well. */
  readonly settings: () => { readonly config: CompiledConfig; readonly paused: boolean; readonly holds?: ChannelHolds };
  readonly limits: CreditLimits;
  readonly batchSize: number;
  readonly cacheBytes: number;
  /** Deliveries from which on a change is handled alone; default `SUSPECT_AFTER`. */
  readonly aloneAfter?: number;
  readonly host: LaneHost;
  readonly random: () => number;
}

/** A replica that does not own the lane asks for it at least this often, with up to as much again at random. */
const CLAIM_EVERY_MS = 1_000;
/** Deliveries parsed in one turn of the matcher. */
const MATCH_BATCH = 256;
/** A drain that takes longer gives back what is still under way. */
const DRAIN_TIMEOUT_MS = 10_000;
/** What an owner has sent comes in within this time, or never. */
const FENCE_MS = 60_000;
/** How long one stage may take to end. */
const STAGE_STOP_MS = 3_000;

interface Stages {
  readonly lease: Lease;
  readonly matcher: ActorRef<MatcherMessage>;
  readonly coalescer: ActorRef<CoalescerMessage>;
  readonly renderer: ActorRef<RendererMessage>;
  readonly dispatcher: ActorRef<DispatcherMessage>;
  readonly source: PullSource;
  /** What was pulled and is not ended, wherever in the stages it is. */
  readonly inHand: DeliveriesInHand;
  /** Lets go of what waits for its turn at the target. */
  readonly ending: AbortController;
  pulling: Subscription | undefined;
}

interface State {
  phase: LanePhase;
  config: CompiledConfig;
  holds: ChannelHolds;
  paused: boolean;
  stages: Stages | undefined;
  lastError: string | undefined;
  /** `again`: told to ask while the answer to an earlier question was on its way. */
  asking: 'no' | 'yes' | 'again';
  /** The last claim failed, so being free is no reason to hurry: our own release makes it so. */
  failed: boolean;
  nextClaim: Timer | undefined;
}

/**
 * One lane: (target, partition), owned by one replica at a time.
 *
 * States: `claiming` (another replica owns it, or the stream is away) → `running` (pulls and writes) ⇄ `paused` (owns it, pulls
 * nothing; what is held goes on to its outcome) → `draining` (gives back what was not dispatched) → `stopped`, or `claiming` again when
 * another replica shall have it. Losing the lease leads from `running` or `paused` back to `claiming`, and so does a failure of a stage
 * (by a restart of the lane).
 * Invariant: whenever the stages end, every change that they hold has been given back to the stream or acknowledged after its
 * outcome was stored; from then on they can acknowledge nothing.
 */
export function lane(options: LaneOptions): Behavior<State, LaneMessage> {
  const { host } = options;

  function claim(state: State, ctx: ActorContext<LaneMessage>): void {
    if (state.phase !== 'claiming') return;
    state.nextClaim?.cancel();
    if (state.asking !== 'no') {
      state.asking = 'again';
      return;
    }
    state.asking = 'yes';
    const attempt = async (): Promise<void> => {
      const lease = await host.claim();
      if (lease === undefined) return ctx.self.offer({ type: 'refused', reason: undefined });
      try {
        const source = await host.openSource(lease, options.limits);
        await ctx.self.offer({ type: 'claimed', lease, source });
      } catch (error) {
        // A lease that nobody uses would be renewed for ever.
        await lease.release().catch(() => undefined);
        throw error;
      }
    };
    void attempt()
      .catch((error: unknown) =>
        ctx.self.offer({ type: 'refused', reason: error instanceof Error ? error.message : 'failed' }),
      )
      .catch(() => undefined);
  }

  function claimLater(state: State, ctx: ActorContext<LaneMessage>): void {
    state.nextClaim?.cancel();
    state.nextClaim = ctx.after(CLAIM_EVERY_MS * (1 + ctx.random()), { type: 'claim' });
  }

  function openStages(state: State, lease: Lease, source: PullSource, ctx: ActorContext<LaneMessage>): void {
    const identity: LaneIdentity = { target: options.target, lane: options.lane, epoch: lease.epoch };
    const ending = new AbortController();
    const { observe, ...surroundings } = host.ports(lease.epoch);
    const ports = { ...surroundings, observe: whileOpen(observe, ending.signal) };
    const { config, holds } = state;
    const onLost = (): void => void ctx.self.offer({ type: 'lost', epoch: lease.epoch }).catch(() => undefined);
    const unclean = lease.takenOver || lease.data().unclean === true;
    const fenceUntil = unclean ? Math.ceil(ctx.clock.now()) + FENCE_MS : 0;
    // Each change in hand leads to a few messages at the most, none of which may be refused.
    const capacity = 2 * options.limits.messages + 64;
    const settings = (stage: string) => ({
      name: `${stage}-${lease.epoch}`,
      type: stage,
      mailbox: { capacity, overflow: 'wait' as const },
      supervision: 'escalate' as const,
      stopTimeoutMs: STAGE_STOP_MS,
    });

    const coalescer: ActorRef<CoalescerMessage> = ctx.spawn(
      assetCoalescer({
        identity,
        config,
        holds,
        ports,
        cacheBytes: options.cacheBytes,
        limits: options.limits,
        random: options.random,
        fenceUntil,
        onLost,
        renderer: { tell: (message) => renderer.tell(message) },
      }),
      settings('asset-coalescer'),
    );
    const dispatcher: ActorRef<DispatcherMessage> = ctx.spawn(
      connectorDispatcher({
        connector: options.connector,
        ports,
        coalescer,
        batchSize: options.batchSize,
        limit: host.limit,
        throttled: (retryAfterMs) => host.throttled?.(retryAfterMs),
        mayDispatch: lease.valid,
        ending: ending.signal,
      }),
      settings('connector-dispatcher'),
    );
    const renderer: ActorRef<RendererMessage> = ctx.spawn(templateRenderer(dispatcher), settings('template-renderer'));
    const matcher = ctx.spawn(
      channelMatcher({
        identity,
        config,
        ports,
        coalescer,
        largeBytes: options.limits.bytes,
        onLost,
        aloneAfter: options.aloneAfter ?? SUSPECT_AFTER,
        fenceUntil,
      }),
      settings('channel-matcher'),
    );
    const inHand = new DeliveriesInHand();
    state.stages = {
      lease,
      matcher,
      coalescer,
      renderer,
      dispatcher,
      source,
      inHand,
      ending,
      pulling: undefined,
    };
    void lease.lost.then(onLost);
    state.phase = state.paused ? 'paused' : 'running';
    if (!state.paused) startPulling(state.stages, ctx);
  }

  function startPulling(stages: Stages, ctx: ActorContext<LaneMessage>): void {
    stages.pulling ??= pullInto(
      stages.source.deliveries.pipe(map((delivery) => stages.inHand.track(delivery))),
      (deliveries) => stages.matcher.offer({ type: 'deliveries', deliveries }).catch(() => undefined),
      MATCH_BATCH,
    ).subscribe({
      error: () => void ctx.self.offer({ type: 'lost', epoch: stages.lease.epoch }).catch(() => undefined),
    });
  }

  function stopPulling(stages: Stages): void {
    stages.pulling?.unsubscribe();
    stages.pulling = undefined;
  }

  /** Outcomes may still be on their way: the next owner has to know. */
  async function releaseUnclean(lease: Lease): Promise<void> {
    await lease.update({ ...lease.data(), unclean: true }).catch(() => undefined);
    await lease.release().catch(() => undefined);
  }

  async function closeStages(stages: Stages): Promise<void> {
    stages.ending.abort();
    await Promise.all([stages.matcher.stop(), stages.renderer.stop()]);
    await stages.dispatcher.stop();
    await stages.coalescer.stop();
  }

  async function drain(state: State): Promise<DrainAnswer> {
    const { stages } = state;
    state.phase = 'draining';
    if (stages === undefined) return { returned: 0 };
    state.stages = undefined;
    stopPulling(stages);
    stages.ending.abort();
    const ended = await stages.coalescer
      .ask<DrainAnswer>((replyTo) => ({ type: 'drain', replyTo }), { timeoutMs: DRAIN_TIMEOUT_MS })
      .catch(() => undefined);
    await closeStages(stages);
    await sourceStopped(stages);
    const returned = stages.inHand.giveBack();
    if (ended === undefined) await releaseUnclean(stages.lease);
    else await stages.lease.release().catch(() => undefined);
    return { returned };
  }

  /** The lane is somebody else's, or nobody's: nothing is acknowledged any more, and it is asked for again. */
  async function lose(state: State, stages: Stages): Promise<void> {
    state.stages = undefined;
    stopPulling(stages);
    stages.inHand.close();
    await closeStages(stages);
    await sourceStopped(stages);
    stages.inHand.giveBack();
    await releaseUnclean(stages.lease);
    state.phase = 'claiming';
  }

  return {
    start(ctx) {
      ctx.after(0, { type: 'claim' });
      return {
        phase: 'claiming',
        holds: NO_HOLDS,
        ...options.settings(),
        stages: undefined,
        lastError: undefined,
        asking: 'no',
        failed: false,
        nextClaim: undefined,
      };
    },
    async receive(state, message, ctx) {
      const { stages } = state;
      switch (message.type) {
        case 'claim':
          claim(state, ctx);
          break;
        case 'free':
          if (!state.failed) claim(state, ctx);
          break;
        case 'claimed':
          state.asking = 'no';
          state.failed = false;
          if (state.phase === 'claiming') openStages(state, message.lease, message.source, ctx);
          else await message.lease.release().catch(() => undefined);
          break;
        case 'refused': {
          state.failed = message.reason !== undefined;
          const again = state.asking === 'again' && !state.failed;
          state.asking = 'no';
          state.lastError = message.reason;
          if (state.phase !== 'claiming') break;
          if (again) claim(state, ctx);
          else claimLater(state, ctx);
          break;
        }
        case 'lost':
          if (stages?.lease.epoch !== message.epoch || state.phase === 'draining') break;
          await lose(state, stages);
          claimLater(state, ctx);
          break;
        case 'hand-over':
          if (stages === undefined) break;
          await drain(state);
          state.phase = 'claiming';
          claimLater(state, ctx);
          break;
        case 'configure':
          state.config = message.config;
          await stages?.matcher.offer({ type: 'configure', config: message.config });
          await stages?.coalescer.offer({ type: 'configure', config: message.config });
          break;
        case 'holds':
          state.holds = message.holds;
          await stages?.coalescer.offer({ type: 'holds', holds: message.holds });
          break;
        case 'pause':
          state.paused = message.paused;
          if (stages === undefined) break;
          if (message.paused) stopPulling(stages);
          else {
            // The source first takes back what still came after the pause.
            await sourceStopped(stages);
            startPulling(stages, ctx);
          }
          state.phase = message.paused ? 'paused' : 'running';
          break;
        case 'drain':
          message.replyTo.tell(await drain(state));
          state.phase = 'stopped';
          ctx.stop();
          break;
        case 'status':
          message.replyTo.tell({
            lane: options.lane,
            target: options.target,
            partition: options.partition,
            phase: state.phase,
            epoch: stages?.lease.epoch,
            lastError: state.lastError,
          });
          break;
      }
      return state;
    },
    async stopped(state) {
      const { stages } = state;
      if (stages === undefined) return;
      state.stages = undefined;
      stopPulling(stages);
      stages.ending.abort();
      stages.inHand.close();
      await sourceStopped(stages);
      stages.inHand.giveBack();
      await releaseUnclean(stages.lease);
    },
  };
}
