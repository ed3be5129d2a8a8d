import type { ControlStore, Paused, Pauses } from '../../streams/nats/control-store.ts';
import type { Pausable } from '../api/ports.ts';
import type { CompiledConfig } from '../config/compiled.ts';

/** Where the pause of a target or a channel is kept, and under which name. */
export function pausesOf(what: Pausable, controls: ControlStore): { readonly pauses: Pauses; readonly name: string } {
  return 'target' in what ? { pauses: controls, name: what.target } : { pauses: controls.channels, name: what.channel };
}

/** Stops writing to a target, or what a channel writes; the changes wait. `by`: who wants it. Gives what it came to. */
export async function pauseWriting(what: Pausable, controls: ControlStore, by: string, reason?: string) {
  const note = { by, at: Date.now(), ...(reason === undefined ? {} : { reason }) };
  const { pauses, name } = pausesOf(what, controls);
  await pauses.pause(name, JSON.stringify(note));
  return { ...what, paused: true, ...note };
}

/** Takes a pause back; `before`: what was paused until now. A pause that the configuration itself says stays. */
export async function resumeWriting(
  what: Pausable,
  controls: ControlStore,
  before: Paused,
  config: CompiledConfig | undefined,
) {
  const { pauses, name } = pausesOf(what, controls);
  await pauses.resume(name);
  const paused = 'target' in what && config?.targets.get(name)?.paused === true;
  return { ...what, paused, wasPaused: before.has(name) };
}
