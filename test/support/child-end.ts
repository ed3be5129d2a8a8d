import type { ChildProcess } from 'node:child_process';

/** Has the child killed when this process ends, so that none stays behind. */
export function killWithUs(child: ChildProcess): void {
  const kill = (): void => void child.kill('SIGKILL');
  process.once('exit', kill);
  child.once('close', () => process.removeListener('exit', kill));
}

/** SIGTERM, and SIGKILL when the child has not ended `withinMs` later; resolves when `ended` does. */
export async function terminate(child: ChildProcess, ended: Promise<unknown>, withinMs: number): Promise<void> {
  child.kill('SIGTERM');
  const harder = setTimeout(() => child.kill('SIGKILL'), withinMs);
  await ended;
  clearTimeout(harder);
}
