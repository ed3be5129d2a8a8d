import { z } from 'zod';
import { checkConfig } from '../../service/configuration.ts';
import type { CommandCall } from '../command.ts';
import { answerProblems } from '../config-problems.ts';
import { EXIT, type ExitCode } from '../exit.ts';
import { readOptions, required } from '../options.ts';
import { readConfig } from '../read-input.ts';

const schema = z.object({ file: z.string().optional() });

/** `backflow validate`: the whole check of `apply`, without any server. */
export async function validate({ output, options }: CommandCall): Promise<ExitCode> {
  const { file } = readOptions(schema, options);
  const loaded = await readConfig(required(file, '-f', 'name the configuration to check'));
  if (!loaded.ok) return answerProblems(loaded.error, output);
  const checked = checkConfig(loaded.value);
  if (!checked.ok) return answerProblems(checked.error, output);
  const targets = checked.value.targets.size;
  const channels = checked.value.channels.length;
  output.answer(
    { ok: true, problems: [], targets, channels },
    () =>
      `valid: ${targets} ${targets === 1 ? 'target' : 'targets'}, ${channels} ${channels === 1 ? 'channel' : 'channels'}`,
  );
  return EXIT.ok;
}
