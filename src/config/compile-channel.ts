import type { Channel } from '../channels/channel.ts';
import { type CompiledFilter, compileFilter } from '../channels/json-logic-filter.ts';
import { combineFilters, compilePatterns } from '../channels/pattern-filter.ts';
import { ASPECTS, type Aspect, LEVELS } from '../domain/entity.ts';
import { guardOf } from './compile-guard.ts';
import type { CompiledTarget } from './compile-target.ts';
import { compileTemplates } from './compile-templates.ts';
import { suggestion } from './did-you-mean.ts';
import type { ConfigPath, ConfigProblem } from './problem.ts';
import type { ChannelDocument } from './schema.ts';

/** A channel as each target that it may write to sees it: the templates are in that target's dialect. */
export interface CompiledChannel {
  /** For lists; with the templates of the first target. */
  readonly channel: Channel;
  readonly byTarget: ReadonlyMap<string, Channel>;
}

type Report = (problem: ConfigProblem) => void;

/** Compiles a channel for the targets that it can concern; undefined when it has a problem, which is then reported. */
export function compileChannel(
  document: ChannelDocument,
  targets: readonly CompiledTarget[],
  place: ConfigPath,
  report: Report,
): CompiledChannel | undefined {
  let failed = false;
  const fail: Report = (problem) => {
    failed = true;
    report(problem);
  };
  const filter = compileChannelFilter(document, place, fail);
  checkDrift(document, place, fail);
  const update = aspectsOf(document);
  if (update.size === 0) {
    fail({
      path: [...place, 'update'],
      message: 'the channel updates nothing',
      hint: 'set descriptions, tags or owners to true',
    });
  }
  if (filter === undefined) return undefined;
  const concerned = targetsOf(document, filter, targets, place, fail);
  const guard = guardOf(document);
  const base: Omit<Channel, 'templates'> = {
    name: document.name,
    priority: document.priority ?? 0,
    mode: document.mode ?? 'write',
    filter,
    update,
    levels: new Set(document.levels ?? LEVELS),
    ...(document.sinkService === undefined ? {} : { sinkService: document.sinkService }),
    onDrift: 'overwrite',
    descriptionFormat: document.description ?? 'as-is',
    acceptRace: document.acceptRace ?? false,
    ...(guard === undefined ? {} : { guard }),
  };
  const byTarget = new Map<string, Channel>();
  const byDialect = new Map<string, Channel>();
  for (const { config, spec } of concerned) {
    const channel = byDialect.get(spec.dialect.name) ?? {
      ...base,
      templates: compileTemplates(document, update, spec.dialect, place, (problem) =>
        fail(
          concerned.length > 1
            ? { ...problem, message: `${problem.message} (for ${spec.name}, target ${config.service})` }
            : problem,
        ),
      ),
    };
    byDialect.set(spec.dialect.name, channel);
    byTarget.set(config.service, channel);
  }
  if (failed) return undefined;
  const [first] = byTarget.values();
  return { channel: first ?? { ...base, templates: [] }, byTarget };
}

/** The aspects that the switches name. Without switches a channel writes descriptions; a switch that is left out is off. */
function aspectsOf(document: ChannelDocument): ReadonlySet<Aspect> {
  const { descriptions = false, tags = false, owners = false } = document.update ?? { descriptions: true };
  const on: Readonly<Record<Aspect, boolean>> = { description: descriptions, tags, owners };
  return new Set(ASPECTS.filter((aspect) => on[aspect]));
}

function compileChannelFilter(document: ChannelDocument, place: ConfigPath, fail: Report): CompiledFilter | undefined {
  const patterns = compilePatterns(document.include ?? [], document.exclude ?? [], place);
  const logic = document.filter === undefined ? undefined : compileFilter(document.filter, [...place, 'filter']);
  if (!patterns.ok) patterns.error.forEach(fail);
  if (logic !== undefined && !logic.ok) logic.error.forEach(fail);
  if (!patterns.ok || logic?.ok === false) return undefined;
  return combineFilters(patterns.value, logic?.value);
}

const LATER_DRIFT = ['keep-source', 'only-if-empty', 'report'];

function checkDrift(document: ChannelDocument, place: ConfigPath, fail: Report): void {
  const { onDrift } = document;
  if (onDrift === undefined || onDrift === 'overwrite') return;
  const path = [...place, 'onDrift'];
  if (LATER_DRIFT.includes(onDrift)) {
    fail({
      path,
      message: `onDrift: ${onDrift} is not available yet`,
      hint: 'write onDrift: overwrite, or leave it out',
    });
  } else {
    const message = `unknown policy ${JSON.stringify(onDrift)}`;
    fail({ path, message, hint: suggestion(onDrift, ['overwrite', ...LATER_DRIFT], 'known policies') });
  }
}

/** With a sink service that target alone; else the targets whose service the filter can be true for. */
function targetsOf(
  document: ChannelDocument,
  filter: CompiledFilter,
  targets: readonly CompiledTarget[],
  place: ConfigPath,
  fail: Report,
): readonly CompiledTarget[] {
  const { sinkService } = document;
  if (sinkService !== undefined) {
    const path = [...place, 'sinkService'];
    const sink = targets.find(({ config }) => config.service === sinkService);
    const sinks = targets.filter(({ spec }) => spec.sink).map(({ config }) => config.service);
    if (sink === undefined) {
      const hint =
        sinks.length === 0 ? 'add a target for that service' : suggestion(sinkService, sinks, 'configured sinks');
      fail({ path, message: `no target has the service ${JSON.stringify(sinkService)}`, hint });
    } else if (!sink.spec.sink) {
      const message = `${JSON.stringify(sinkService)} is no sink: ${sink.spec.name} takes only the changes of its own service`;
      fail({ path, message, hint: 'leave sinkService out; a channel writes to the service that a change comes from' });
    }
    return sink === undefined ? [] : [sink];
  }
  const concerned = targets.filter(
    ({ config, spec, serviceTypes }) => !spec.sink && filter.couldMatch({ name: config.service, types: serviceTypes }),
  );
  if (concerned.length === 0 && targets.length > 0) {
    const names = targets.map(({ config }) => config.service).join(', ');
    fail({
      path: place,
      message: `the channel can never match an entity of a configured target (${names})`,
      hint: 'check service.name and service.type in its filter, and the first part of its patterns',
    });
  }
  return concerned;
}
