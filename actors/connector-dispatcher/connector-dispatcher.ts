import type { Connector } from '../../connectors/contract.ts';
import type { AssetKey } from '../../src/domain/asset.ts';
import type { Failure } from '../../src/domain/failure.ts';
import type { CoalescerMessage } from '../asset-coalescer/coalescer-messages.ts';
import { mayRetry } from '../asset-coalescer/retry-schedule.ts';
import type { ActorRef } from '../kernel/actor-ref.ts';
import type { ActorContext, Behavior } from '../kernel/behavior.ts';
import type { LanePorts } from '../lane/lane-ports.ts';
import type { RenderedWork } from '../lane/staged-work.ts';
import { dispatchBatch } from './dispatch-batch.ts';
import { TargetGate } from './target-gate.ts';
import { TargetSession, targetFailure } from './target-session.ts';

export type DispatcherMessage =
  | { readonly type: 'batch'; readonly batch: readonly RenderedWork[] }
  /** The wait after a failure of the target is over. */
  | { readonly type: 'reopen' };

export interface DispatcherOptions {
  readonly connector: Connector;
  readonly ports: Pick<LanePorts, 'connect' | 'observe' | 'guard'>;
  readonly coalescer: Pick<ActorRef<CoalescerMessage>, 'offer'>;
  /** Fields of one batch at the most. */
  readonly batchSize: number;
  /** Waits until so many statements may run. Resolves with the milliseconds waited; rejects when aborted. */
  readonly limit: (statements: number, signal: AbortSignal) => Promise<number>;
  /** The target has asked to slow down, and perhaps for how long it wants to be left alone. */
  readonly throttled: (retryAfterMs: number | undefined) => void;
  /** False as soon as the lane's lease is in doubt: nothing may be sent to the target any more. */
  readonly mayDispatch: () => boolean;
  /** Aborted when the lane ends: what waits for its turn at the target is given back instead. */
  readonly ending: AbortSignal;
}

/** Batches asked for ahead: one is written while the next is already decided. */
const BATCHES_AHEAD = 2;
/** How soon a lease in doubt is looked at again. */
const LEASE_DOUBT_MS = 500;

interface State {
  readonly session: TargetSession;
  readonly gate: TargetGate;
  /** Batches not asked for while the target is away or the lease is in doubt. */
  owed: number;
  /** A `reopen` is on its way. Invariant: while `owed` is above 0 and nothing was asked for, there is one. */
  reopening: boolean;
}

type Ctx = ActorContext<DispatcherMessage>;

/**
 * Writes batches to the target, one after the other, and asks for the next; while the target is away it asks for nothing.
 * Invariant: batches asked for or in the mailbox + `owed` = `BATCHES_AHEAD`, the batch being written counted in.
 */
export function connectorDispatcher(options: DispatcherOptions): Behavior<State, DispatcherMessage> {
  const { coalescer, ports, batchSize, ending } = options;

  const demand = (): Promise<void> => coalescer.offer({ type: 'demand', fields: batchSize });

  async function askForOwed(state: State, most: number): Promise<void> {
    for (let asked = 0; asked < most && state.owed > 0; asked += 1) {
      state.owed -= 1;
      await demand();
    }
  }

  /** Nothing is sent now: the batch goes back, and another one is asked for after a while. */
  async function giveBack(state: State, batch: readonly RenderedWork[], waitMs: number, ctx: Ctx): Promise<void> {
    state.owed += 1;
    reopenAfter(state, waitMs, ctx);
    await coalescer.offer({ type: 'returned', keys: batch.map(({ work }) => work.key) });
  }

  function reopenAfter(state: State, waitMs: number, ctx: Ctx): void {
    if (state.reopening) return;
    state.reopening = true;
    ctx.after(Math.max(1, waitMs), { type: 'reopen' });
  }

  async function write(state: State, batch: readonly RenderedWork[], ctx: Ctx): Promise<void> {
    if (!options.mayDispatch() || ending.aborted) return giveBack(state, batch, LEASE_DOUBT_MS, ctx);
    const wait = state.gate.waitMs(ctx.clock.now());
    if (wait > 0) return giveBack(state, batch, wait, ctx);
    let results: Awaited<ReturnType<typeof dispatchBatch>>;
    try {
      const connection = await state.session.connection();
      results = await dispatchBatch(batch, connection, {
        connector: options.connector,
        ...(ports.guard === undefined ? {} : { guard: ports.guard }),
        mayRetry: ({ field }, attempts) => mayRetry(attempts, field.firstAttemptAt, ctx.clock.now()),
        limit: async (statements) => {
          const waited = await options.limit(statements, ending);
          if (waited > 0) ports.observe.limiterWait(waited);
          // The wait may have been long.
          if (!options.mayDispatch()) throw new LaneEnding();
        },
      });
    } catch (error) {
      if (ending.aborted || error instanceof LaneEnding) return giveBack(state, batch, LEASE_DOUBT_MS, ctx);
      await state.session.close();
      const failure = targetFailure(error);
      if (failure.class === 'throttled') options.throttled(failure.retryAfterMs);
      const waitMs = state.gate.failed(failure, ctx.clock.now());
      ports.observe.target('down', state.gate.lastError);
      return giveBack(state, batch, waitMs, ctx);
    }
    state.gate.succeeded();
    const busy = throttledResult(results);
    if (busy !== undefined) options.throttled(busy.retryAfterMs);
    ports.observe.target('up', undefined);
    await coalescer.offer({ type: 'results', results: complete(batch, results) });
    state.owed += 1;
    await askForOwed(state, BATCHES_AHEAD);
  }

  return {
    async start(ctx) {
      for (let i = 0; i < BATCHES_AHEAD; i += 1) await demand();
      return { session: new TargetSession(ports.connect), gate: new TargetGate(ctx.random), owed: 0, reopening: false };
    },
    async receive(state, message, ctx) {
      if (message.type === 'batch') {
        await write(state, message.batch, ctx);
        return state;
      }
      state.reopening = false;
      const now = ctx.clock.now();
      const wait = state.gate.waitMs(now);
      if (wait > 0) reopenAfter(state, wait, ctx);
      // One batch goes out as a trial; the others are asked for when it has succeeded.
      else await askForOwed(state, state.gate.state(now) === 'closed' ? BATCHES_AHEAD : 1);
      return state;
    },
    async stopped(state) {
      await state.session.close();
    },
  };
}

/** The lease went while a batch waited for its turn. */
class LaneEnding extends Error {}

/** A write of the batch that was refused since the target has too much to do. */
function throttledResult(results: Awaited<ReturnType<typeof dispatchBatch>>): Failure | undefined {
  for (const fields of results.values())
    for (const { failure } of fields) if (failure?.class === 'throttled') return failure;
  return undefined;
}

/** Every asset of the batch gets an answer, those too that no field of was written. */
function complete(
  batch: readonly RenderedWork[],
  results: Awaited<ReturnType<typeof dispatchBatch>>,
): Awaited<ReturnType<typeof dispatchBatch>> {
  return new Map<AssetKey, NonNullable<ReturnType<typeof results.get>>>(
    batch.map(({ work }) => [work.key, results.get(work.key) ?? []]),
  );
}
