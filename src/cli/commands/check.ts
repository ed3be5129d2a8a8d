import { z } from 'zod';
import type { CompiledConfig } from '../../config/compiled.ts';
import { processSecrets } from '../../config/resolve-secrets.ts';
import { checkTargets, type TargetCheck } from '../../service/check-targets.ts';
import { checkConfig } from '../../service/configuration.ts';
import type { CommandCall } from '../command.ts';
import { configInForce, requireTarget } from '../config-in-force.ts';
import { answerProblems } from '../config-problems.ts';
import { EXIT, type ExitCode } from '../exit.ts';
import { withNats } from '../nats-access.ts';
import { readOptions } from '../options.ts';
import { printable } from '../output.ts';
import { readConfig } from '../read-input.ts';

const schema = z.object({ file: z.string().optional() });

/** `backflow check`: connects to the targets with this process's environment, and names what is missing. */
export async function check({ output, args, options }: CommandCall): Promise<ExitCode> {
  const { file } = readOptions(schema, options);
  let config: CompiledConfig;
  if (file === undefined) config = await withNats('read', configInForce);
  else {
    const loaded = await readConfig(file);
    const checked = loaded.ok ? checkConfig(loaded.value) : loaded;
    if (!checked.ok) return answerProblems(checked.error, output);
    config = checked.value;
  }
  const [only] = args;
  if (only !== undefined) requireTarget(only, config.targets.keys());
  const targets = [...config.targets.values()].filter((target) => only === undefined || target.service === only);
  const checks = await checkTargets(targets, processSecrets());
  output.answer({ ok: checks.every((one) => one.ok), targets: checks }, () =>
    checks.length === 0 ? 'no target is configured' : checks.map(formatCheck).join('\n\n'),
  );
  if (checks.some((one) => !one.connected)) return EXIT.cannotConnect;
  return checks.every((one) => one.ok) ? EXIT.ok : EXIT.problems;
}

export function formatCheck(check: TargetCheck): string {
  const head = `${check.ok ? '✓' : '✗'} ${check.target} (${check.connector})`;
  if (!check.connected) return `${head}: ${printable(check.error ?? 'cannot connect')}`;
  return [
    `${head}: ${check.server ?? ''} as ${printable(check.user ?? '')}`,
    ...check.findings.flatMap(({ severity, message, remedy }) => [
      `  ${severity}: ${printable(message)}`,
      ...(remedy === undefined ? [] : [`    ${printable(remedy)}${/[.;]$/.test(remedy) ? '' : ';'}`]),
    ]),
  ].join('\n');
}
