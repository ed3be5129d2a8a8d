import { userInfo } from 'node:os';
import { z } from 'zod';
import { createControlStore } from '../../../streams/nats/control-store.ts';
import { pausesOf, pauseWriting } from '../../service/pause-writing.ts';
import type { CommandCall } from '../command.ts';
import { configInForce } from '../config-in-force.ts';
import { EXIT, type ExitCode } from '../exit.ts';
import { withNats } from '../nats-access.ts';
import { readOptions } from '../options.ts';
import { pausableOf, requirePausable } from '../pausable.ts';

const schema = z.object({ reason: z.string().optional() });

/** `backflow pause`: no lane of the target writes any more, or nothing of the channel is written; the changes wait. */
export async function pause({ output, args, options }: CommandCall): Promise<ExitCode> {
  const what = pausableOf(args, options);
  const { reason } = readOptions(schema, options);
  return withNats('write', async (link) => {
    requirePausable(what, await configInForce(link));
    const controls = createControlStore(link);
    const paused = await pauseWriting(what, controls, userInfo().username, reason);
    const { name } = pausesOf(what, controls);
    const resume = 'target' in what ? name : `--channel ${name}`;
    output.answer(paused, () => `${name} is paused; its changes wait. Go on with: backflow resume ${resume}`);
    return EXIT.ok;
  });
}
