import { createConfigStore } from '../../../streams/nats/config-store.ts';
import { createControlStore } from '../../../streams/nats/control-store.ts';
import { documentInForce } from '../../service/configuration.ts';
import { type LaneSummary, readLanes } from '../../service/lane-record.ts';
import type { CommandCall } from '../command.ts';
import { EXIT, type ExitCode } from '../exit.ts';
import { withNats } from '../nats-access.ts';
import { clip, formatDuration, formatTable, formatTime } from '../output.ts';

/** `backflow lanes`: the lanes of all replicas, from NATS alone. */
export async function lanes({ output }: CommandCall): Promise<ExitCode> {
  const rows = await withNats('read', async (link) => {
    const switched = await createControlStore(link).paused();
    const current = await documentInForce(createConfigStore(link));
    const configured = (current?.document.targets ?? []).filter((target) => target.paused === true);
    return readLanes(link, new Set([...switched.keys(), ...configured.map(({ service }) => service)]));
  });
  output.answer(rows, () =>
    rows.length === 0
      ? 'there is no lane yet: apply a configuration with a target, and start the service'
      : formatTable(
          [
            'LANE',
            'TARGET',
            'STATE',
            'BREAKER',
            'OWNER',
            'LAG',
            'IN HAND',
            'OLDEST',
            'RATE',
            'APPLIED',
            'HELD BACK',
            'LAST ERROR',
          ],
          rows.map((lane) => [
            lane.lane,
            lane.target,
            `${lane.paused ? 'paused' : lane.targetState}${describeRate(lane)}${describeLoss(lane)}`,
            lane.breaker,
            lane.owner ?? 'nobody',
            lane.lag,
            lane.parked === 0 ? lane.held : `${lane.held} (${lane.parked} parked)`,
            lane.oldestUnappliedMs === undefined ? '' : formatDuration(lane.oldestUnappliedMs),
            lane.perSecond === 0 ? '' : `${Number(lane.perSecond.toPrecision(2))}/s`,
            lane.applied,
            lane.heldFields.map(({ channel, why, fields }) => `${channel}: ${fields} (${why})`).join(', '),
            clip(lane.lastError ?? '', 80),
          ]),
        ),
  );
  return EXIT.ok;
}

function describeRate({ rateLimit }: LaneSummary): string {
  if (rateLimit === undefined || rateLimit.perSecond >= rateLimit.configured) return '';
  return `, slowed to ${rateLimit.perSecond.toPrecision(2)} of ${rateLimit.configured}/s`;
}

function describeLoss({ needsReconcile: lost }: LaneSummary): string {
  if (lost === undefined) return '';
  return `, needs reconcile: ${lost.changes ?? 'unknown many'} changes lost since ${formatTime(lost.from)}`;
}
