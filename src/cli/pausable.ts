import { z } from 'zod';
import type { Pausable } from '../api/ports.ts';
import type { CompiledConfig } from '../config/compiled.ts';
import { requireChannel, requireTarget } from './config-in-force.ts';
import { UsageError } from './exit.ts';
import { readOptions } from './options.ts';

const schema = z.object({ channel: z.string().optional() });

/** What `pause` and `resume` are about. */
export function pausableOf(args: readonly string[], options: Readonly<Record<string, unknown>>): Pausable {
  const { channel } = readOptions(schema, options);
  const [target] = args;
  if (channel !== undefined && target === undefined) return { channel };
  if (target !== undefined && channel === undefined) return { target };
  throw new UsageError('name either a target, or a channel with --channel');
}

/** Refuses a name that is not configured; `paused` ones can be named although they were removed since. */
export function requirePausable(what: Pausable, config: CompiledConfig, paused: Iterable<string> = []): void {
  if ('target' in what) requireTarget(what.target, [...config.targets.keys(), ...paused]);
  else requireChannel(what.channel, [...config.channels.map((channel) => channel.name), ...paused]);
}
