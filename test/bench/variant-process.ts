import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** Kernel clock ticks a second, as /proc counts them on Linux. */
const TICKS = 100;
const STOP_TIMEOUT_MS = 15_000;

/** A variant under measurement, in a process of its own. */
export interface VariantProcess {
  /** CPU seconds of user and system so far, and the highest resident size in MiB. */
  usage(): { readonly cpuSeconds: number; readonly rssMiB: number };
  /** SIGTERM, so that a profile gets written and leases are given back; SIGKILL when that takes too long. */
  stop(): Promise<void>;
}

export function startVariant(
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): VariantProcess {
  const child: ChildProcess = spawn(command, args, {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  return {
    usage: () => usageOf(child.pid ?? 0),
    stop: async () => {
      child.kill('SIGTERM');
      const harder = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS);
      await exited;
      clearTimeout(harder);
    },
  };
}

function usageOf(pid: number): { cpuSeconds: number; rssMiB: number } {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // Fields count from behind the name, which may hold blanks: 14 and 15 of the whole are user and system time.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const peak = Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0);
  return { cpuSeconds: (Number(fields[11]) + Number(fields[12])) / TICKS, rssMiB: Math.round(peak / 1024) };
}
