import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { StreamError } from './stream-error.ts';

/** Written by the server itself. */
export const PID_FILE = 'nats-server.pid';
/** The process that started the server. */
const OWNER_FILE = 'owner.pid';
const GONE_AFTER_MS = 10_000;

/**
 * Takes a data folder for a new server: two servers on one store destroy it, and nats-server itself takes no lock. A server
 * that a killed process of ours left behind is ended; one whose owner lives is `data-in-use`.
 */
export async function claimFolder(dir: string, configFile: string): Promise<void> {
  const pid = readPid(join(dir, PID_FILE));
  if (pid !== undefined && isServer(pid)) {
    const owner = readPid(join(dir, OWNER_FILE));
    const leftBehind = owner !== undefined && !isRunning(owner) && commandLine(pid)?.includes(configFile) === true;
    if (!leftBehind || !(await end(pid))) {
      throw new StreamError(
        'data-in-use',
        `Another nats-server (process ${pid}) already runs on the data in ${dir}. Stop it, or set NATS_URL to use it.`,
      );
    }
  }
  writeFileSync(join(dir, OWNER_FILE), String(process.pid));
}

/** Process ids are used again, and a dead process may wait to be collected: only a living nats-server counts. */
function isServer(pid: number): boolean {
  if (!isRunning(pid)) return false;
  const words = commandLine(pid);
  // Without /proc (macOS) a living process has to be taken for it.
  return words === undefined || (words[0] ?? '').endsWith('nats-server');
}

function commandLine(pid: number): readonly string[] | undefined {
  const text = read(`/proc/${pid}/cmdline`);
  return text?.split('\0');
}

async function end(pid: number): Promise<boolean> {
  process.kill(pid, 'SIGTERM');
  const deadline = performance.now() + GONE_AFTER_MS;
  while (isServer(pid) && performance.now() < deadline) await sleep(20);
  return !isServer(pid);
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

function readPid(file: string): number | undefined {
  const pid = Number.parseInt(read(file) ?? '', 10);
  return Number.isInteger(pid) && pid > 0 ? pid : undefined;
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
