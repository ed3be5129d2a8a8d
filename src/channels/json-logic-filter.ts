import type { ConfigPath, ConfigProblem } from '../config/problem.ts';
import { isJsonObject, type Json } from '../domain/json.ts';
import { err, ok, type Result } from '../domain/result.ts';
import type { Snapshot } from '../domain/snapshot.ts';
import type { Filter } from './channel.ts';
import { checkFilter } from './check-filter.ts';
import { couldMatch, type ServiceIdentity } from './could-match.ts';
import { entityDocument } from './entity-document.ts';
import { explainFilter } from './explain-filter.ts';
import { FilterEngine } from './filter-engine.ts';
import { describeFilter, normaliseFilter } from './normalise-filter.ts';

/** A filter that also says which services it can concern at all. */
export interface CompiledFilter extends Filter {
  /** False only where no entity of the service can match. */
  couldMatch(service: ServiceIdentity): boolean;
  /** The whole filter as people read it. */
  readonly text: string;
}

const engine = new FilterEngine();

/**
 * Checks a JsonLogic filter and makes it ready to run. `place`: where it stands in the configuration.
 * What is returned never throws, whatever the entity holds.
 */
export function compileFilter(logic: Json, place: ConfigPath): Result<CompiledFilter, readonly ConfigProblem[]> {
  if (typeof logic === 'string') return err([queryFilterString(place)]);
  if (!isJsonObject(logic) && typeof logic !== 'boolean') {
    const hint = 'write { "==": [ { var: service.name }, pg_sales ] }, or leave the filter out to match everything';
    return err([{ path: place, message: 'a filter is a JsonLogic object', hint }]);
  }
  const { problems, needsTags } = checkFilter(logic, place);
  if (problems.length > 0) return err(problems);
  const normalised = normaliseFilter(logic);
  return ok({
    needsTags,
    text: describeFilter(normalised),
    matches: (state: Snapshot) => engine.holds(normalised, entityDocument(state)),
    explain: (state: Snapshot) => explainFilter(normalised, entityDocument(state), engine),
    couldMatch: (service) => couldMatch(normalised, service, engine),
  });
}

function queryFilterString(path: ConfigPath): ConfigProblem {
  return {
    path,
    message: 'the filter is a text; query_filter strings of OpenMetadata are not supported yet',
    hint: 'write the filter as JsonLogic, or use include and exclude patterns',
  };
}
