import { err, ok, type Result } from '../domain/result.ts';
import type { ConfigPath, ConfigProblem, Locator } from './problem.ts';
import type { ConfigDocument } from './schema.ts';

/** The document of one file with the places of its parts. */
export interface SourceDocument {
  readonly document: ConfigDocument;
  readonly locate: Locator;
}

/** Puts the documents of several files together: lists are joined, maps are joined key by key, and nothing may be said twice. */
export function mergeDocuments(
  sources: readonly SourceDocument[],
): Result<{ document: ConfigDocument; locate: Locator }, readonly ConfigProblem[]> {
  const problems: ConfigProblem[] = [];
  const owners: Record<string, string> = {};
  const settings: { team?: 'role' | 'skip'; multiple?: 'first' | 'skip' } = {};
  const twice = (source: SourceDocument, path: ConfigPath): void => {
    const at = source.locate(path);
    problems.push({ path, ...at, message: 'this is already set in another file', hint: 'keep one of them' });
  };
  for (const source of sources) {
    const { map = {}, team, multiple } = source.document.owners ?? {};
    for (const [name, principal] of Object.entries(map)) {
      if (Object.hasOwn(owners, name)) twice(source, ['owners', 'map', name]);
      owners[name] = principal;
    }
    if (team !== undefined) {
      if (settings.team !== undefined) twice(source, ['owners', 'team']);
      settings.team = team;
    }
    if (multiple !== undefined) {
      if (settings.multiple !== undefined) twice(source, ['owners', 'multiple']);
      settings.multiple = multiple;
    }
  }
  if (problems.length > 0) return err(problems);
  const joined = {
    targets: sources.flatMap(({ document }) => document.targets ?? []),
    channels: sources.flatMap(({ document }) => document.channels ?? []),
    ignoreUsers: [...new Set(sources.flatMap(({ document }) => document.ignoreUsers ?? []))],
  };
  const has = (key: keyof ConfigDocument): boolean => sources.some(({ document }) => document[key] !== undefined);
  const withMap = sources.some(({ document }) => document.owners?.map !== undefined);
  return ok({
    document: {
      ...(has('targets') ? { targets: joined.targets } : {}),
      ...(has('channels') ? { channels: joined.channels } : {}),
      ...(has('owners') ? { owners: { ...(withMap ? { map: owners } : {}), ...settings } } : {}),
      ...(has('ignoreUsers') ? { ignoreUsers: joined.ignoreUsers } : {}),
    },
    locate: mergedLocator(sources),
  });
}

/** Finds the file that an entry came from: lists by counting on, everything else by the first file that has it. */
function mergedLocator(sources: readonly SourceDocument[]): Locator {
  return (path, inside) => {
    const [key, index, ...rest] = path;
    if ((key === 'targets' || key === 'channels') && typeof index === 'number') {
      let before = 0;
      for (const { document, locate } of sources) {
        const length = document[key]?.length ?? 0;
        if (index < before + length) return locate([key, index - before, ...rest], inside);
        before += length;
      }
      return undefined;
    }
    const source = sources.find(({ document }) => holds(document, path)) ?? sources[0];
    return source?.locate(path, inside);
  };
}

function holds(document: ConfigDocument, path: ConfigPath): boolean {
  let value: unknown = document;
  for (const part of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, part)) return false;
    value = Object.entries(value).find(([name]) => name === String(part))?.[1];
  }
  return value !== undefined;
}
