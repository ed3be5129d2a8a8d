import { createControlStore } from '../../../streams/nats/control-store.ts';
import type { CommandCall } from '../command.ts';
import { configInForce, requireTarget } from '../config-in-force.ts';
import { EXIT, type ExitCode } from '../exit.ts';
import { withNats } from '../nats-access.ts';

/** `backflow resume`: takes a pause back. A pause that the configuration itself says stays. */
export async function resume({ output, args }: CommandCall): Promise<ExitCode> {
  const [target = ''] = args;
  return withNats('write', async (link) => {
    const { targets } = await configInForce(link);
    const controls = createControlStore(link);
    const paused = await controls.paused();
    // A target that was removed while it was paused can still be cleared.
    requireTarget(target, [...targets.keys(), ...paused.keys()]);
    await controls.resume(target);
    const byConfig = targets.get(target)?.paused === true;
    const wasPaused = paused.has(target);
    output.answer({ target, paused: byConfig, wasPaused }, () => {
      if (byConfig) return `${target} stays paused: its configuration says "paused: true"; change it and apply it`;
      return wasPaused ? `${target} goes on` : `${target} was not paused`;
    });
    return byConfig ? EXIT.problems : EXIT.ok;
  });
}
