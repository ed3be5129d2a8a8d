import { Command, CommanderError } from 'commander';
import { demo } from './commands/demo.ts';
import { EXIT, type ExitCode, explainError } from './exit.ts';
import { createOutput, type Output } from './output.ts';

/** Parses the arguments, runs the command, and gives the exit code. */
export async function createProgram(argv: readonly string[]): Promise<ExitCode> {
  let code: ExitCode = EXIT.ok;
  const program = new Command('backflow')
    .description('Writes descriptions, tags and owners from OpenMetadata back into the source systems.')
    .showHelpAfterError('(see backflow --help)')
    .exitOverride();
  const command = (
    signature: string,
    description: string,
    run: (output: Output, options: Record<string, unknown>, args: readonly string[]) => Promise<ExitCode>,
  ): Command =>
    program
      .command(signature)
      .description(description)
      .option('--json', 'answer as JSON')
      .action(async (...given: unknown[]) => {
        const self = given.at(-1);
        const options: Record<string, unknown> = self instanceof Command ? self.opts() : {};
        const args = self instanceof Command ? self.args : [];
        code = await run(createOutput(options.json === true), options, args);
      });

  command('demo', 'run everything once on databases of its own, and show what became of each change', (output, options) =>
    demo({ once: options.once === true }, output),
  ).option('--once', 'end after the report instead of staying up');

  try {
    await program.parseAsync(argv, { from: 'user' });
    return code;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.ok : EXIT.usage;
    const { message, code: failed } = explainError(error);
    process.stderr.write(`backflow: ${message}\n`);
    return failed;
  }
}
