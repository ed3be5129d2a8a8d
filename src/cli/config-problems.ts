import { type ConfigProblem, formatPath, formatProblem } from '../config/problem.ts';
import { EXIT, type ExitCode } from './exit.ts';
import type { Output } from './output.ts';

/** Problems of a configuration as the answer of a command: for people `file:line:column: path: message` with the remedy below. */
export function answerProblems(problems: readonly ConfigProblem[], output: Output): ExitCode {
  output.answer({ ok: false, problems: problems.map(problemJson) }, () => {
    const count = problems.length === 1 ? '1 problem' : `${problems.length} problems`;
    return [...problems.map(formatProblem), '', `${count} found; nothing was changed.`].join('\n');
  });
  return EXIT.problems;
}

function problemJson(problem: ConfigProblem) {
  return {
    file: problem.file ?? null,
    line: problem.line ?? null,
    column: problem.column ?? null,
    path: formatPath(problem.path),
    message: problem.message,
    hint: problem.hint ?? null,
  };
}
