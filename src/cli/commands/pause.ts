import { userInfo } from 'node:os';
import { z } from 'zod';
import { createControlStore } from '../../../streams/nats/control-store.ts';
import type { CommandCall } from '../command.ts';
import { configInForce, requireTarget } from '../config-in-force.ts';
import { EXIT, type ExitCode } from '../exit.ts';
import { withNats } from '../nats-access.ts';
import { readOptions } from '../options.ts';

const schema = z.object({ reason: z.string().optional() });

/** `backflow pause`: no lane of the target writes any more; its changes wait in the stream. */
export async function pause({ output, args, options }: CommandCall): Promise<ExitCode> {
  const [target = ''] = args;
  const { reason } = readOptions(schema, options);
  return withNats('write', async (link) => {
    requireTarget(target, (await configInForce(link)).targets.keys());
    const note = { by: userInfo().username, at: Date.now(), ...(reason === undefined ? {} : { reason }) };
    await createControlStore(link).pause(target, JSON.stringify(note));
    output.answer(
      { target, paused: true, ...note },
      () => `${target} is paused; its changes wait. Go on with: backflow resume ${target}`,
    );
    return EXIT.ok;
  });
}
