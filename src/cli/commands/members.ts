import { readMembers } from '../../service/member-record.ts';
import type { CommandCall } from '../command.ts';
import { EXIT, type ExitCode } from '../exit.ts';
import { withNats } from '../nats-access.ts';
import { formatDuration, formatTable, formatTime } from '../output.ts';

/** `backflow members`: the replicas that share the lanes, from NATS alone. */
export async function members({ output }: CommandCall): Promise<ExitCode> {
  const rows = await withNats('read', readMembers);
  output.answer(rows, () =>
    rows.length === 0
      ? 'no replica runs: start one with "backflow serve"'
      : formatTable(
          ['REPLICA', 'STATE', 'SINCE', 'LAST HEARD', 'LANES'],
          rows.map(({ replica, state, since, lastHeardMs, lanes }) => [
            replica,
            state,
            formatTime(since),
            `${formatDuration(lastHeardMs)} ago`,
            lanes,
          ]),
        ),
  );
  return EXIT.ok;
}
