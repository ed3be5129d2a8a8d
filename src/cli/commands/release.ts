import { z } from 'zod';
import { createGuardStore } from '../../../streams/nats/guard-store.ts';
import { releaseChannel } from '../../service/release-channel.ts';
import type { CommandCall } from '../command.ts';
import { configInForce, requireChannel, requireTarget } from '../config-in-force.ts';
import { EXIT, type ExitCode } from '../exit.ts';
import { withNats } from '../nats-access.ts';
import { readOptions } from '../options.ts';

const schema = z.object({ target: z.string().optional() });

/** `backflow release`: what the guard of a channel holds back is cleared after all; further clears count from zero. */
export async function release({ output, args, options }: CommandCall): Promise<ExitCode> {
  const [channel = ''] = args;
  const { target } = readOptions(schema, options);
  return withNats('write', async (link) => {
    const { channels, targets } = await configInForce(link);
    const guarded = await createGuardStore(link).all();
    requireChannel(channel, [...channels.map(({ name }) => name), ...guarded.keys()]);
    if (target !== undefined) requireTarget(target, targets.keys());
    const released = await releaseChannel(link, channel, target);
    const where = target === undefined ? channel : `${channel} on ${target}`;
    output.answer(released, () =>
      released.wasHolding ? `${where} is released: what it held is cleared now` : `${where} held nothing back`,
    );
    return EXIT.ok;
  });
}
