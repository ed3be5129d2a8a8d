/** Where in the configuration document something stands: `['channels', 0, 'filter', '==', 1]`. */
export type ConfigPath = readonly (string | number)[];

/** A place in a source file; lines and columns count from 1. */
export interface ConfigPlace {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/**
 * Something wrong with the configuration, as a value: what, where and how to repair it. Holds no value of a secret.
 * File, line and column are absent where the document did not come from a file (a revision of the console).
 */
export interface ConfigProblem {
  readonly path: ConfigPath;
  readonly file?: string;
  readonly line?: number;
  readonly column?: number;
  readonly message: string;
  readonly hint?: string;
  /** Position inside the text that stands at `path` (a template); the locator turns it into a position in the file. */
  readonly inside?: { readonly line: number; readonly column: number };
}

/** Finds the place in the source files that a path of the document came from. */
export type Locator = (path: ConfigPath, inside?: ConfigProblem['inside']) => ConfigPlace | undefined;

const PLAIN_KEY = /^[A-Za-z_][A-Za-z0-9_-]*$/;

/** `channels[0].filter["=="][1]`; the empty path is the document itself. */
export function formatPath(path: ConfigPath): string {
  let text = '';
  for (const part of path) {
    if (typeof part === 'number') text += `[${part}]`;
    else if (PLAIN_KEY.test(part)) text += text === '' ? part : `.${part}`;
    else text += `[${JSON.stringify(part)}]`;
  }
  return text === '' ? '(document)' : text;
}

/** Adds file, line and column to problems that have none yet. */
export function locateProblems(problems: readonly ConfigProblem[], locate: Locator): ConfigProblem[] {
  return problems.map((problem) => {
    if (problem.file !== undefined) return problem;
    const place = locate(problem.path, problem.inside);
    return place === undefined ? problem : { ...problem, ...place };
  });
}

/** For people, one problem in two lines: `file:line:column: path: message` and the remedy. */
export function formatProblem(problem: ConfigProblem): string {
  const place = problem.file === undefined ? '' : `${problem.file}:${problem.line ?? 1}:${problem.column ?? 1}: `;
  const inside =
    problem.inside !== undefined && problem.file === undefined
      ? ` (line ${problem.inside.line}, column ${problem.inside.column} of the text)`
      : '';
  const hint = problem.hint === undefined ? '' : `\n  → ${problem.hint}`;
  return `${place}${formatPath(problem.path)}${inside}: ${problem.message}${hint}`;
}
