import { createControlStore } from '../../../streams/nats/control-store.ts';
import { pausesOf, resumeWriting } from '../../service/pause-writing.ts';
import type { CommandCall } from '../command.ts';
import { configInForce } from '../config-in-force.ts';
import { EXIT, type ExitCode } from '../exit.ts';
import { withNats } from '../nats-access.ts';
import { pausableOf, requirePausable } from '../pausable.ts';

/** `backflow resume`: takes a pause back. A pause that the configuration itself says stays. */
export async function resume({ output, args, options }: CommandCall): Promise<ExitCode> {
  const what = pausableOf(args, options);
  return withNats('write', async (link) => {
    const config = await configInForce(link);
    const controls = createControlStore(link);
    const { pauses, name } = pausesOf(what, controls);
    const before = await pauses.paused();
    requirePausable(what, config, before.keys());
    const resumed = await resumeWriting(what, controls, before, config);
    output.answer(resumed, () => {
      if (resumed.paused) return `${name} stays paused: its configuration says "paused: true"; change it and apply it`;
      return resumed.wasPaused ? `${name} goes on` : `${name} was not paused`;
    });
    return resumed.paused ? EXIT.problems : EXIT.ok;
  });
}
