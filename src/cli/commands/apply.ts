import { userInfo } from 'node:os';
import { z } from 'zod';
import { createConfigStore } from '../../../streams/nats/config-store.ts';
import { diffConfig, formatDifference } from '../../config/diff.ts';
import { applyConfig, checkConfig, documentInForce } from '../../service/configuration.ts';
import type { CommandCall } from '../command.ts';
import { answerProblems } from '../config-problems.ts';
import { EXIT, type ExitCode } from '../exit.ts';
import { withNats } from '../nats-access.ts';
import { readOptions, required } from '../options.ts';
import { readConfig } from '../read-input.ts';

const schema = z.object({ file: z.string().optional(), dryRun: z.boolean().optional() });

/** `backflow apply`: checks the whole, shows the difference to what is in force, and makes a new revision of it. */
export async function apply({ output, options }: CommandCall): Promise<ExitCode> {
  const { file, dryRun = false } = readOptions(schema, options);
  const path = required(file, '-f', 'name the configuration to apply');
  const loaded = await readConfig(path);
  if (!loaded.ok) return answerProblems(loaded.error, output);
  // What is wrong in itself is told without NATS.
  const checked = checkConfig(loaded.value);
  if (!checked.ok) return answerProblems(checked.error, output);
  return withNats('write', async (link) => {
    const store = createConfigStore(link);
    if (dryRun) {
      const before = await documentInForce(store);
      const changes = diffConfig(before?.document ?? {}, loaded.value.document);
      output.answer(
        { ok: true, dryRun, applied: false, revision: before?.revision ?? null, changes },
        () => `${formatDifference(changes)}\n(dry run: nothing was applied)`,
      );
      return EXIT.ok;
    }
    const result = await applyConfig(store, loaded.value, `${userInfo().username}: ${path}`);
    if (!result.ok) return answerProblems(result.error, output);
    const { revision, changes, applied } = result.value;
    output.answer({ ok: true, dryRun, applied, revision, changes }, () =>
      applied
        ? `${formatDifference(changes)}\nrevision ${revision} is in force`
        : `no difference; revision ${revision} stays in force`,
    );
    return EXIT.ok;
  });
}
