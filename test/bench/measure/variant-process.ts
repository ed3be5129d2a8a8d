import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { killWithUs, terminate } from '../../support/child-end.ts';

/** Kernel clock ticks a second, as /proc counts them on Linux. */
const TICKS = 100;
const STOP_TIMEOUT_MS = 15_000;
/** Lines of a variant's stderr that are shown. */
const COMPLAINTS = 10;

interface Usage {
  /** User and system time so far. */
  readonly cpuSeconds: number;
  /** The highest resident size so far. */
  readonly rssMiB: number;
}

/** A variant under measurement, in a process of its own. */
export interface VariantProcess {
  /** Whether it has not ended by itself. */
  alive(): boolean;
  /** Undefined: the process has ended. */
  usage(): Usage | undefined;
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
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let stopping = false;
  passOn(child, () => !stopping);
  killWithUs(child);
  const exited = new Promise((resolve) => child.once('exit', resolve));
  const alive = (): boolean => child.exitCode === null && child.signalCode === null;
  return {
    alive,
    usage: () => (child.pid === undefined || !alive() ? undefined : usageOf(child.pid)),
    stop: async () => {
      stopping = true;
      await terminate(child, exited, STOP_TIMEOUT_MS);
    },
  };
}

/** The first complaints of a variant; one that complains all the time shall not hide the measurements. */
function passOn(child: ChildProcess, wanted: () => boolean): void {
  if (child.stderr === null) return;
  let left = COMPLAINTS;
  createInterface({ input: child.stderr }).on('line', (line) => {
    // Backflow's log tells of good things too.
    if (!wanted() || line.includes('"level":"info"')) return;
    left -= 1;
    if (left > 0) process.stderr.write(`  ${line.slice(0, 300)}\n`);
    if (left === 0) process.stderr.write('  … (more is not shown)\n');
  });
}

/** CPU of all processes; memory of the one that took most. Null: all of them have ended. */
export function totalUsage(processes: readonly VariantProcess[]): { readonly [name in keyof Usage]: number | null } {
  const usages = processes.map((process) => process.usage()).filter((usage) => usage !== undefined);
  if (usages.length === 0) return { cpuSeconds: null, rssMiB: null };
  return {
    cpuSeconds: usages.reduce((sum, { cpuSeconds }) => sum + cpuSeconds, 0),
    rssMiB: Math.max(...usages.map(({ rssMiB }) => rssMiB)),
  };
}

function usageOf(pid: number): Usage {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // Fields count from behind the name, which may hold blanks: 14 and 15 of the whole are user and system time.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const peak = Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0);
  return { cpuSeconds: (Number(fields[11]) + Number(fields[12])) / TICKS, rssMiB: Math.round(peak / 1024) };
}
