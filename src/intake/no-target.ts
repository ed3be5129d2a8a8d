import type { Publisher } from '../../streams/nats/contract.ts';
import { StreamError } from '../../streams/nats/stream-error.ts';
import type { ChangeEvent } from '../domain/change-event.ts';
import type { BulkOutcomeMessage } from '../domain/outcome.ts';
import { bulkOutcomeSubject } from '../domain/subjects.ts';

/** What no target reads is settled by intake, under this name instead of a target's. */
export const NO_TARGET = '_none';

export interface UnreadChange {
  readonly event: ChangeEvent;
  readonly sequence: number;
  readonly at: number;
  readonly configRevision: number;
  readonly traceId: string | undefined;
}

/**
 * Records that a change has no target. One subject per change and *no message there yet* make it exactly one record, however often
 * the same event is taken.
 */
export async function recordNoTarget(publisher: Publisher, change: UnreadChange, giveUpAfterMs: number): Promise<void> {
  const { event, sequence, traceId } = change;
  const outcome: BulkOutcomeMessage = {
    v: 1,
    id: `intake-${sequence}`,
    target: NO_TARGET,
    at: change.at,
    lane: 'intake',
    configRevision: change.configRevision,
    items: [
      {
        sequence,
        eventId: event.id,
        object: '',
        status: 'skipped',
        reason: `no target: nothing is configured that reads the service ${event.service}`,
        user: event.userName,
        ...(traceId === undefined ? {} : { traceId }),
      },
    ],
    settles: [sequence],
  };
  try {
    await publisher.publish(bulkOutcomeSubject(NO_TARGET, 0, sequence), JSON.stringify(outcome), {
      msgId: outcome.id,
      expectedLastSubjectSequence: 0,
      giveUpAfterMs,
    });
  } catch (error) {
    if (!(error instanceof StreamError && error.code === 'conflict')) throw error;
  }
}
