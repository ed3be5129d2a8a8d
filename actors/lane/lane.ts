import type { Subscription } from 'rxjs';
import type { Connector } from '../../connectors/contract.ts';
import type { CompiledConfig } from '../../src/config/compiled.ts';
import type { CreditLimits, Lease, PullSource } from '../../streams/nats/contract.ts';
import { assetCoalescer, type CoalescerMessage, type DrainAnswer } from '../asset-coalescer/asset-coalescer.ts';
import type { LaneIdentity } from '../asset-coalescer/close-work.ts';
import { channelMatcher, type MatcherMessage } from '../channel-matcher/channel-matcher.ts';
import { connectorDispatcher, type DispatcherMessage } from '../connector-dispatcher/connector-dispatcher.ts';
import type { ActorRef, Recipient } from '../kernel/actor-ref.ts';
import type { ActorContext, Behavior } from '../kernel/behavior.ts';
import { type RendererMessage, templateRenderer } from '../template-renderer/template-renderer.ts';
import type { LanePorts } from './lane-ports.ts';
import { pullInto } from './pull-into.ts';

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
  | { readonly type: 'claimed'; readonly lease: Lease; readonly source: PullSource }
  | { readonly type: 'refused'; readonly reason: string | undefined }
  | { readonly type: 'lost'; readonly epoch: number }
  | { readonly type: 'configure'; readonly config: CompiledConfig }
  | { readonly type: 'pause'; readonly paused: boolean }
  | { readonly type: 'drain'; readonly replyTo: Recipient<DrainAnswer> }
  | { readonly type: 'status'; readonly replyTo: Recipient<LaneStatus> };

/** What binds a lane to the outside; made by the composition root. */
export interface LaneHost {
  /** The lane's lease, or undefined while another replica holds it. */
  claim(): Promise<Lease | undefined>;
  /** The lane's pull source; makes the durable consumer when it is missing. */
  openSource(lease: Lease, limits: CreditLimits): Promise<PullSource>;
  ports(epoch: number): LanePorts;
  limit(statements: number, signal: AbortSignal): Promise<number>;
}

export interface LaneOptions {
  readonly lane: string;
  readonly target: string;
  readonly partition: number;
  readonly connector: Connector;
  readonly config: CompiledConfig;
  readonly paused: boolean;
  readonly limits: CreditLimits;
  readonly batchSize: number;
  readonly cacheBytes: number;
  readonly host: LaneHost;
  readonly random: () => number;
}

/** A replica that does not own the lane asks for it this often, with up to as much again at random. */
const CLAIM_EVERY_MS = 1_000;
/** Deliveries parsed in one turn of the matcher. */
const MATCH_BATCH = 256;
/** A drain that takes longer leaves the rest to redelivery. */
const DRAIN_TIMEOUT_MS = 10_000;

interface Stages {
  readonly lease: Lease;
  readonly matcher: ActorRef<MatcherMessage>;
  readonly coalescer: ActorRef<CoalescerMessage>;
  readonly renderer: ActorRef<RendererMessage>;
  readonly dispatcher: ActorRef<DispatcherMessage>;
  readonly source: PullSource;
  pulling: Subscription | undefined;
}

interface State {
  phase: LanePhase;
  config: CompiledConfig;
  paused: boolean;
  stages: Stages | undefined;
  lastError: string | undefined;
}

/**
 * One lane: (target, partition), owned by one replica at a time.
 *
 * States: `claiming` (another replica owns it, or the stream is away) → `running` (pulls and writes) ⇄ `paused` (owns it, pulls
 * nothing; what is held goes on to its outcome) → `draining` (gives back what was not dispatched) → `stopped`. Losing the lease
 * leads from `running` or `paused` back to `claiming`: the stages end, unacknowledged changes are redelivered to the new owner.
 */
export function lane(options: LaneOptions): Behavior<State, LaneMessage> {
  const { host } = options;

  function claim(state: State, ctx: ActorContext<LaneMessage>): void {
    if (state.phase !== 'claiming') return;
    const attempt = async (): Promise<LaneMessage> => {
      const lease = await host.claim();
      if (lease === undefined) return { type: 'refused', reason: undefined };
      const source = await host.openSource(lease, options.limits);
      return { type: 'claimed', lease, source };
    };
    void attempt()
      .catch(
        (error: unknown): LaneMessage => ({
          type: 'refused',
          reason: error instanceof Error ? error.message : 'failed',
        }),
      )
      .then((answer) => ctx.self.offer(answer))
      .catch(() => undefined);
  }

  function openStages(state: State, lease: Lease, source: PullSource, ctx: ActorContext<LaneMessage>): void {
    const identity: LaneIdentity = { target: options.target, lane: options.lane, epoch: lease.epoch };
    const ports = host.ports(lease.epoch);
    const { config } = state;
    const mailbox = { capacity: 1_024, overflow: 'wait' as const };
    const name = (stage: string): string => `${stage}-${lease.epoch}`;
    const onLost = (): void => void ctx.self.offer({ type: 'lost', epoch: lease.epoch }).catch(() => undefined);
    const supervision = 'escalate' as const;

    const coalescer: ActorRef<CoalescerMessage> = ctx.spawn(
      assetCoalescer({
        identity,
        config,
        ports,
        cacheBytes: options.cacheBytes,
        random: options.random,
        onLost,
        renderer: { tell: (message) => renderer.tell(message) },
      }),
      { name: name('asset-coalescer'), type: 'asset-coalescer', mailbox, supervision },
    );
    const dispatcher: ActorRef<DispatcherMessage> = ctx.spawn(
      connectorDispatcher({
        connector: options.connector,
        ports,
        coalescer,
        batchSize: options.batchSize,
        limit: host.limit,
        mayDispatch: lease.valid,
      }),
      { name: name('connector-dispatcher'), type: 'connector-dispatcher', mailbox, supervision },
    );
    const renderer: ActorRef<RendererMessage> = ctx.spawn(templateRenderer(dispatcher), {
      name: name('template-renderer'),
      type: 'template-renderer',
      mailbox,
      supervision,
    });
    const matcher = ctx.spawn(channelMatcher({ identity, config, ports, coalescer }), {
      name: name('channel-matcher'),
      type: 'channel-matcher',
      mailbox,
      supervision,
    });
    state.stages = { lease, matcher, coalescer, renderer, dispatcher, source, pulling: undefined };
    void lease.lost.then(onLost);
    state.phase = state.paused ? 'paused' : 'running';
    if (!state.paused) startPulling(state.stages);
  }

  function startPulling(stages: Stages): void {
    stages.pulling ??= pullInto(
      stages.source.deliveries,
      (deliveries) => stages.matcher.offer({ type: 'deliveries', deliveries }).catch(() => undefined),
      MATCH_BATCH,
    ).subscribe();
  }

  function stopPulling(stages: Stages): void {
    stages.pulling?.unsubscribe();
    stages.pulling = undefined;
  }

  async function closeStages(state: State): Promise<void> {
    const { stages } = state;
    state.stages = undefined;
    if (stages === undefined) return;
    stopPulling(stages);
    await Promise.all([stages.matcher.stop(), stages.renderer.stop()]);
    await stages.dispatcher.stop();
    await stages.coalescer.stop();
  }

  async function drain(state: State): Promise<DrainAnswer> {
    const { stages } = state;
    state.phase = 'draining';
    if (stages === undefined) return { returned: 0 };
    stopPulling(stages);
    // What goes back must not meet the source's last request: an old server would lose it until `ack_wait`.
    await stages.source.stopped();
    const answer = await stages.coalescer
      .ask<DrainAnswer>((replyTo) => ({ type: 'drain', replyTo }), { timeoutMs: DRAIN_TIMEOUT_MS })
      .catch((): DrainAnswer => ({ returned: 0 }));
    await closeStages(state);
    await stages.lease.release().catch(() => undefined);
    return answer;
  }

  return {
    start(ctx) {
      ctx.after(0, { type: 'claim' });
      return {
        phase: 'claiming',
        config: options.config,
        paused: options.paused,
        stages: undefined,
        lastError: undefined,
      };
    },
    async receive(state, message, ctx) {
      const { stages } = state;
      switch (message.type) {
        case 'claim':
          claim(state, ctx);
          break;
        case 'claimed':
          if (state.phase === 'claiming') openStages(state, message.lease, message.source, ctx);
          else await message.lease.release().catch(() => undefined);
          break;
        case 'refused':
          state.lastError = message.reason;
          if (state.phase === 'claiming') ctx.after(CLAIM_EVERY_MS * (1 + ctx.random()), { type: 'claim' });
          break;
        case 'lost':
          if (stages?.lease.epoch !== message.epoch || state.phase === 'draining') break;
          await closeStages(state);
          state.phase = 'claiming';
          ctx.after(CLAIM_EVERY_MS * (1 + ctx.random()), { type: 'claim' });
          break;
        case 'configure':
          state.config = message.config;
          await stages?.matcher.offer({ type: 'configure', config: message.config });
          await stages?.coalescer.offer({ type: 'configure', config: message.config });
          break;
        case 'pause':
          state.paused = message.paused;
          if (stages === undefined) break;
          if (message.paused) stopPulling(stages);
          else {
            // The source first takes back what still came after the pause.
            await stages.source.stopped();
            startPulling(stages);
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
      stopPulling(stages);
      state.stages = undefined;
      await stages.lease.release().catch(() => undefined);
    },
  };
}
