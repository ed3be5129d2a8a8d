import { createControlStore } from '../../../streams/nats/control-store.ts';
import type { CommandCall } from '../command.ts';
import { configInForce } from '../config-in-force.ts';
import { EXIT, type ExitCode } from '../exit.ts';
import { withNats } from '../nats-access.ts';
import { pausableOf, pausesOf, requirePausable } from '../pausable.ts';

/** `backflow resume`: takes a pause back. A pause that the configuration itself says stays. */
export async function resume({ output, args, options }: CommandCall): Promise<ExitCode> {
  const what = pausableOf(args, options);
  return withNats('write', async (link) => {
    const config = await configInForce(link);
    const pauses = pausesOf(what, createControlStore(link));
    const paused = await pauses.paused();
    const { kind, name } = what;
    requirePausable(what, config, paused.keys());
    await pauses.resume(name);
    const byConfig = kind === 'target' && config.targets.get(name)?.paused === true;
    const wasPaused = paused.has(name);
    output.answer({ [kind]: name, paused: byConfig, wasPaused }, () => {
      if (byConfig) return `${name} stays paused: its configuration says "paused: true"; change it and apply it`;
      return wasPaused ? `${name} goes on` : `${name} was not paused`;
    });
    return byConfig ? EXIT.problems : EXIT.ok;
  });
}
