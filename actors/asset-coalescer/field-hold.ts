import type { HoldReason } from '../../src/channels/channel-holds.ts';

/** A field that is open and not written until a person says so. */
export interface FieldHold {
  readonly channel: string;
  readonly why: HoldReason;
  /** The field's winner when it was last looked at: a newer one may be something else than a clear. */
  readonly sequence: number;
  /** Epoch milliseconds. */
  readonly since: number;
}
