import type { Channel } from '../channels/channel.ts';
import { compareChannels } from '../channels/choose-channel.ts';
import { err, ok, type Result } from '../domain/result.ts';
import { type CompiledChannel, compileChannel } from './compile-channel.ts';
import { type CompiledTarget, type ConnectorLookup, compileTarget } from './compile-target.ts';
import type { CompiledConfig, OwnerRules } from './compiled.ts';
import { type ConfigPath, type ConfigProblem, formatPath, type Locator, locateProblems } from './problem.ts';
import type { ConfigDocument } from './schema.ts';

export interface CompileOptions {
  readonly revision: number;
  readonly hash: string;
  /** Adds file, line and column to problems. */
  readonly locate?: Locator;
}

/** Whose changes are not written back when the configuration does not say. */
const DEFAULT_IGNORED = ['ingestion-bot'];

/** Checks the meaning of a configuration as a whole and makes it ready to use: all of it, or all of its problems. */
export function compileConfig(
  document: ConfigDocument,
  connectors: ConnectorLookup,
  options: CompileOptions,
): Result<CompiledConfig, readonly ConfigProblem[]> {
  const problems: ConfigProblem[] = [];
  const report = (problem: ConfigProblem): void => {
    problems.push(problem);
  };
  const targetDocuments = document.targets ?? [];
  const channelDocuments = document.channels ?? [];
  const services = targetDocuments.map(({ service }) => service);
  checkUnique(services, 'service', ['targets'], 'service', report);
  checkUnique(
    channelDocuments.map(({ name }) => name),
    'channel',
    ['channels'],
    'name',
    report,
  );

  const compiledTargets = targetDocuments.map((target, index) =>
    compileTarget(target, connectors, ['targets', index], report),
  );
  const targets = compiledTargets.filter((target) => target !== undefined);
  // A channel is judged against the targets, so while one of them is broken only its own problems are told.
  const channels = targets.length < targetDocuments.length ? [] : compileChannels(channelDocuments, targets, report);

  if (problems.length > 0) {
    const located = options.locate === undefined ? problems : locateProblems(problems, options.locate);
    return err(withoutDoubles(located));
  }
  const byTarget = new Map<string, readonly Channel[]>(
    services.map((service) => [
      service,
      channels.flatMap((channel) => channel.byTarget.get(service) ?? []).sort(compareChannels),
    ]),
  );
  return ok({
    revision: options.revision,
    hash: options.hash,
    targets: new Map(targets.map(({ config }) => [config.service, config])),
    channelsOf: (target) => byTarget.get(target) ?? [],
    channels: channels.map(({ channel }) => channel).sort(compareChannels),
    owners: ownerRules(document),
    ignoreUsers: new Set(document.ignoreUsers ?? DEFAULT_IGNORED),
  });
}

function compileChannels(
  documents: NonNullable<ConfigDocument['channels']>,
  targets: readonly CompiledTarget[],
  report: (problem: ConfigProblem) => void,
): readonly CompiledChannel[] {
  return documents.flatMap((channel, index) => compileChannel(channel, targets, ['channels', index], report) ?? []);
}

function ownerRules(document: ConfigDocument): OwnerRules {
  const { map = {}, team = 'role', multiple = 'first' } = document.owners ?? {};
  return { map: new Map(Object.entries(map)), team, multiple };
}

function checkUnique(
  names: readonly string[],
  kind: string,
  place: ConfigPath,
  key: string,
  report: (problem: ConfigProblem) => void,
): void {
  const seen = new Set<string>();
  for (const [index, name] of names.entries()) {
    if (seen.has(name)) {
      const message = `the ${kind} ${JSON.stringify(name)} is configured twice`;
      report({
        path: [...place, index, key],
        message,
        hint: `first in ${formatPath([...place, names.indexOf(name)])}; keep one of them`,
      });
    }
    seen.add(name);
  }
}

function withoutDoubles(problems: readonly ConfigProblem[]): readonly ConfigProblem[] {
  const seen = new Set<string>();
  return problems.filter((problem) => {
    const key = JSON.stringify([problem.path, problem.message, problem.inside]);
    return !seen.has(key) && seen.add(key);
  });
}
