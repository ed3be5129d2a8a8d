import { userInfo } from 'node:os';
import { markReconciled } from '../../../streams/nats/reconciled-store.ts';
import { readLanes } from '../../service/lane-record.ts';
import type { CommandCall } from '../command.ts';
import { configInForce, requireTarget } from '../config-in-force.ts';
import { EXIT, type ExitCode } from '../exit.ts';
import { withNats } from '../nats-access.ts';

/** `backflow reconciled`: takes back the mark that a target needs to be compared with the catalogue. The recorded gaps stay. */
export async function reconciled({ output, args }: CommandCall): Promise<ExitCode> {
  const [target = ''] = args;
  return withNats('write', async (link) => {
    const lanes = await readLanes(link, new Set());
    const of = lanes.filter((lane) => lane.target === target);
    requireTarget(target, [...(await configInForce(link)).targets.keys(), ...of.map((lane) => lane.target)]);
    const gaps = of.reduce((sum, { needsReconcile }) => sum + (needsReconcile?.gaps ?? 0), 0);
    await markReconciled(link, target, { at: Date.now(), by: userInfo().username });
    output.answer({ target, gaps }, () =>
      gaps === 0
        ? `${target} had no gap`
        : `${target} counts as reconciled; the ${gaps === 1 ? 'gap' : `${gaps} gaps`} before now no longer ask for it`,
    );
    return EXIT.ok;
  });
}
