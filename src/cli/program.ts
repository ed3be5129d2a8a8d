import { readFileSync } from 'node:fs';
import { Command, CommanderError } from 'commander';
import { z } from 'zod';
import type { CommandEntry } from './command.ts';
import { COMMAND_GROUPS, COMMANDS } from './command-table.ts';
import { EXIT, type ExitCode, explainError } from './exit.ts';
import { createOutput } from './output.ts';

const packageFile = z.object({ version: z.string() });

/** Parses the arguments, runs the command, and gives the exit code. */
export async function createProgram(argv: readonly string[]): Promise<ExitCode> {
  let code: ExitCode = EXIT.ok;
  let json = false;
  const program = new Command('backflow')
    .description('Writes descriptions, tags and owners from OpenMetadata back into the source systems.')
    .version(ownVersion(), '--version', 'print the version')
    .showHelpAfterError('(see backflow --help)')
    .addHelpText('after', '\nExit codes: 0 ok, 1 problems found, 2 wrong usage, 3 cannot connect.')
    .exitOverride();
  const groups = new Map<string, Command>();
  for (const entry of COMMANDS) {
    addCommand(parentOf(entry, program, groups), entry, async (options, args) => {
      json = options.json === true;
      code = await entry.run({ output: createOutput(json), args, options });
    });
  }

  try {
    await program.parseAsync(argv, { from: 'user' });
    return code;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
    const { message, code: failed } = explainError(error);
    process.stderr.write(`backflow: ${message}\n`);
    if (json) process.stdout.write(`${JSON.stringify({ error: { message, exitCode: failed } }, null, 2)}\n`);
    return failed;
  }
}

/** The program itself, or the command that the entry belongs to, made when its first entry comes. */
function parentOf({ group }: CommandEntry, program: Command, groups: Map<string, Command>): Command {
  if (group === undefined) return program;
  const known = groups.get(group);
  if (known !== undefined) return known;
  const made = program.command(group).description(COMMAND_GROUPS[group] ?? '');
  groups.set(group, made);
  return made;
}

type Action = (options: Readonly<Record<string, unknown>>, args: readonly string[]) => Promise<void>;

function addCommand(parent: Command, entry: CommandEntry, action: Action): void {
  const command = parent
    .command(entry.usage)
    .description(entry.summary)
    .showHelpAfterError(`(see backflow ${[entry.group, entry.usage.split(' ')[0]].join(' ').trim()} --help)`)
    .allowExcessArguments(false)
    .addHelpText('after', `\nExample:\n  ${entry.example}`)
    .action(async (...given: unknown[]) => {
      const self = given.at(-1);
      if (self instanceof Command) await action(self.opts(), self.args);
    });
  for (const [flags, description] of entry.options ?? []) command.option(flags, description);
  command.option('--json', 'answer as JSON');
}

function ownVersion(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return packageFile.parse(JSON.parse(text)).version;
}
