import type { Connector } from '../../connectors/contract.ts';
import type { AssetKey } from '../../src/domain/asset.ts';
import type { CoalescerMessage } from '../asset-coalescer/asset-coalescer.ts';
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
  readonly ports: LanePorts;
  readonly coalescer: ActorRef<CoalescerMessage>;
  /** Fields of one batch at the most. */
  readonly batchSize: number;
  /** Waits until so many statements may run; aborted when the lane stops. Resolves with the milliseconds waited. */
  readonly limit: (statements: number, signal: AbortSignal) => Promise<number>;
  /** False as soon as the lane's lease is in doubt: nothing may be sent to the target any more. */
  readonly mayDispatch: () => boolean;
}

/** Batches asked for ahead: one is written while the next is already decided. */
const BATCHES_AHEAD = 2;

interface State {
  readonly session: TargetSession;
  readonly gate: TargetGate;
  /** Batches not asked for while the target is away. */
  owed: number;
}

/** Writes batches to the target, one after the other, and asks for the next; while the target is away it asks for nothing. */
export function connectorDispatcher(options: DispatcherOptions): Behavior<State, DispatcherMessage> {
  const { coalescer, ports, batchSize } = options;

  const demand = (): Promise<void> => coalescer.offer({ type: 'demand', fields: batchSize });

  async function giveBack(batch: readonly RenderedWork[]): Promise<void> {
    await coalescer.offer({ type: 'returned', keys: batch.map(({ work }) => work.key) });
  }

  async function write(
    state: State,
    batch: readonly RenderedWork[],
    ctx: ActorContext<DispatcherMessage>,
  ): Promise<void> {
    if (!options.mayDispatch()) {
      await giveBack(batch);
      return;
    }
    if (state.gate.waitMs(ctx.clock.now()) !== 0) {
      state.owed += 1;
      await giveBack(batch);
      return;
    }
    state.gate.enter();
    let results: Awaited<ReturnType<typeof dispatchBatch>>;
    try {
      const connection = await state.session.connection();
      results = await dispatchBatch(batch, connection, {
        connector: options.connector,
        mayRetry: ({ field }, attempts) => mayRetry(attempts, field.firstAttemptAt, ctx.clock.now()),
        limit: async (statements) => {
          const waited = await options.limit(statements, ctx.signal);
          if (waited > 0) ports.observe.limiterWait(waited);
          return waited;
        },
      });
    } catch (error) {
      await state.session.close();
      const wait = state.gate.failed(targetFailure(error), ctx.clock.now());
      ports.observe.target('down', state.gate.lastError);
      state.owed += 1;
      await giveBack(batch);
      ctx.after(wait, { type: 'reopen' });
      return;
    }
    state.gate.succeeded();
    ports.observe.target('up', undefined);
    await coalescer.offer({ type: 'results', results: complete(batch, results) });
    await demand();
  }

  return {
    async start() {
      for (let i = 0; i < BATCHES_AHEAD; i += 1) await demand();
      return { session: new TargetSession(ports.connect), gate: new TargetGate(), owed: 0 };
    },
    async receive(state, message, ctx) {
      if (message.type === 'batch') {
        await write(state, message.batch, ctx);
      } else {
        // One batch goes out as a trial; the others are asked for again when it succeeds.
        const owed = state.owed;
        state.owed = 0;
        for (let i = 0; i < owed; i += 1) await demand();
      }
      return state;
    },
    async stopped(state) {
      await state.session.close();
    },
  };
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
