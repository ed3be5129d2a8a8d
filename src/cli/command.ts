import type { ExitCode } from './exit.ts';
import type { Output } from './output.ts';

/** One call of a command, as its implementation gets it. Options are as they were typed; `readOptions` makes values of them. */
export interface CommandCall {
  readonly output: Output;
  readonly args: readonly string[];
  readonly options: Readonly<Record<string, unknown>>;
}

/** A line of the table of commands. */
export interface CommandEntry {
  /** Name and arguments: `publish <file>`. */
  readonly usage: string;
  /** The name of the command that it belongs to, for `dlq list`. */
  readonly group?: string;
  readonly summary: string;
  readonly example: string;
  /** Flags and what they mean; `--json` comes with every command. */
  readonly options?: readonly (readonly [flags: string, description: string])[];
  /** Loads its module only when it is called, so that help is fast and tracing starts before any database driver. */
  run(call: CommandCall): Promise<ExitCode>;
}
