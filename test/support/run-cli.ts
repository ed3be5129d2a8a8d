import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const BINARY = fileURLToPath(new URL('../../bin/backflow.js', import.meta.url));

type Environment = Readonly<Record<string, string | undefined>>;

export interface CliOptions {
  /** Added to a minimal environment: nothing of the tester's own settings reaches the command. */
  readonly env?: Environment;
  readonly input?: string | Uint8Array;
  readonly cwd?: string;
}

export interface CliResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** Standard output as JSON. */
  json(): unknown;
}

function start(args: readonly string[], options: CliOptions): ChildProcess {
  const { PATH, HOME } = process.env;
  return spawn(process.execPath, [BINARY, ...args], {
    env: { PATH, HOME, ...options.env },
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
    stdio: 'pipe',
  });
}

function collect(child: ChildProcess): { stdout: string; stderr: string } {
  const texts = { stdout: '', stderr: '' };
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    texts.stdout += text;
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    texts.stderr += text;
  });
  return texts;
}

const ended = (child: ChildProcess): Promise<number | null> =>
  new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve(code));
  });

/** Runs the real command to its end. */
export async function runCli(args: readonly string[], options: CliOptions = {}): Promise<CliResult> {
  const child = start(args, options);
  const texts = collect(child);
  const end = ended(child);
  child.stdin?.end(options.input ?? '');
  const code = await end;
  return { code, ...texts, json: (): unknown => JSON.parse(texts.stdout) };
}

/** A command that stays up. */
export interface RunningCli {
  readonly output: { readonly stdout: string; readonly stderr: string };
  /** Resolves when a line of standard output fits; rejects when the command ends before. */
  line(pattern: RegExp): Promise<string>;
  /** The exit code, once it has ended. */
  readonly ended: Promise<number | null>;
  signal(name: NodeJS.Signals): void;
  /** Sends the signal and gives the exit code. */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
}

export function startCli(args: readonly string[], options: CliOptions = {}): RunningCli {
  const child = start(args, options);
  const output = collect(child);
  const end = ended(child);
  return {
    output,
    line: (pattern) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          const found = pattern.exec(output.stdout);
          if (found !== null) resolve(found[1] ?? found[0]);
        };
        child.stdout?.on('data', look);
        void end.then((code) => reject(new Error(`the command ended with ${code}:\n${output.stderr}`)));
        look();
      }),
    ended: end,
    signal: (name) => {
      child.kill(name);
    },
    stop: (signal = 'SIGTERM') => {
      child.kill(signal);
      return end;
    },
  };
}
