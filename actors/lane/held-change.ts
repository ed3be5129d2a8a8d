import type { Context, Span } from '@opentelemetry/api';
import type { CompiledConfig } from '../../src/config/compiled.ts';
import type { Asset, AssetKey } from '../../src/domain/asset.ts';
import type { ReceivedChange } from '../../src/domain/ledger.ts';
import type { Delivery } from '../../streams/nats/contract.ts';

/** A change that a lane holds: pulled, not yet acknowledged. It occupies one credit until all its keys have an outcome. */
export interface HeldChange {
  /** Ends the change; its body is gone, `received` holds what was in it. */
  readonly delivery: Delivery;
  readonly received: ReceivedChange;
  readonly asset: Asset;
  readonly key: AssetKey;
  /** Context of the change's `match` span: the parent of what follows. */
  readonly trace: Context;
  /** The change's `CHANGES process` span; ends when the change is acknowledged or given back. */
  readonly span: Span;
  readonly traceId?: string;
  /** Epoch milliseconds: accepted by intake, pulled by this lane. */
  readonly receivedAt: number;
  readonly pulledAt: number;
  /** Size of its body as it was delivered. */
  readonly bytes: number;
  /** The configuration in force when it was matched; tells afterwards whether a channel has been removed. */
  readonly config: CompiledConfig;
  /** A replay that concerns one channel only: no other channel's keys are decided. */
  readonly onlyChannel?: string;
}
