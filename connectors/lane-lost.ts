import { ConnectorError } from './connector-error.ts';
import type { SessionName } from './contract.ts';

/**
 * To be called when a session is open and before it is used. A new owner of a lane ends the sessions of earlier ones that are there
 * when it begins; so what was opened later by an owner that does not know yet, as after a pause of its process, must not be used. What
 * was open while the lane still was its own is seen by the next one. Throws `ConnectorError` when the lane is lost.
 */
export function refuseLostLane({ valid }: SessionName): void {
  if (valid === undefined || valid()) return;
  const message = 'The lane is no longer held by this replica; nothing more is sent to the target.';
  throw new ConnectorError({ class: 'transient', scope: 'target', code: 'lane-lost', message });
}

/** An earlier owner's session that cannot be ended could still write: nothing is written until it is gone. */
export function olderSessionStays(): ConnectorError {
  const message = 'A session of an earlier owner of the lane does not end; it is tried again.';
  return new ConnectorError({ class: 'transient', scope: 'target', code: 'older-session-stays', message });
}
