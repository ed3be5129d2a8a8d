import { createConfigStore } from '../../streams/nats/config-store.ts';
import type { NatsLink } from '../../streams/nats/connection.ts';
import type { CompiledConfig } from '../config/compiled.ts';
import { suggestion } from '../config/did-you-mean.ts';
import { formatProblem } from '../config/problem.ts';
import { BackflowError } from '../domain/failure.ts';
import { compileRevision } from '../service/configuration.ts';
import { UsageError } from './exit.ts';

export const NO_CONFIG = (): BackflowError =>
  new BackflowError(
    'no-configuration',
    'not_found',
    'No configuration is in force yet. Put one in force with: backflow apply -f FILE',
  );

/** The configuration in force, ready to use. Throws when there is none, or when this version cannot use it. */
export async function configInForce(link: NatsLink): Promise<CompiledConfig> {
  const store = createConfigStore(link);
  const pointer = await store.pointer();
  if (pointer === undefined) throw NO_CONFIG();
  const compiled = await compileRevision(store, pointer.revision);
  if (compiled.ok) return compiled.value;
  throw new BackflowError('invalid-configuration', 'invalid', compiled.error.map(formatProblem).join('\n'));
}

/** Refuses a name that is no target, with the one that was probably meant. */
export function requireTarget(name: string, known: Iterable<string>): void {
  requireKnown('target', name, known);
}

/** Refuses a name that is no channel, with the one that was probably meant. */
export function requireChannel(name: string, known: Iterable<string>): void {
  requireKnown('channel', name, known);
}

function requireKnown(kind: string, name: string, known: Iterable<string>): void {
  const names = [...known];
  if (names.includes(name)) return;
  const hint = names.length === 0 ? `no ${kind} is configured` : suggestion(name, names, `known ${kind}s`);
  throw new UsageError(`there is no ${kind} ${JSON.stringify(name)}; ${hint}`);
}
