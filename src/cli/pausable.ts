import { z } from 'zod';
import type { ControlStore, Pauses } from '../../streams/nats/control-store.ts';
import type { CompiledConfig } from '../config/compiled.ts';
import { requireChannel, requireTarget } from './config-in-force.ts';
import { UsageError } from './exit.ts';
import { readOptions } from './options.ts';

const schema = z.object({ channel: z.string().optional() });

/** What `pause` and `resume` are about: one target, or one channel. */
export type Pausable = { readonly kind: 'target' | 'channel'; readonly name: string };

export function pausableOf(args: readonly string[], options: Readonly<Record<string, unknown>>): Pausable {
  const { channel } = readOptions(schema, options);
  const [target] = args;
  if (channel !== undefined && target === undefined) return { kind: 'channel', name: channel };
  if (target !== undefined && channel === undefined) return { kind: 'target', name: target };
  throw new UsageError('name either a target, or a channel with --channel');
}

export function pausesOf({ kind }: Pausable, controls: ControlStore): Pauses {
  return kind === 'target' ? controls : controls.channels;
}

/** Refuses a name that is not configured; `paused` ones can be named although they were removed since. */
export function requirePausable({ kind, name }: Pausable, config: CompiledConfig, paused: Iterable<string> = []): void {
  if (kind === 'target') requireTarget(name, [...config.targets.keys(), ...paused]);
  else requireChannel(name, [...config.channels.map((channel) => channel.name), ...paused]);
}
