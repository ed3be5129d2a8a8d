import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** A program that the demo and the tests need from the system. */
export interface ProgramNeed {
  /** Any of these names on PATH (or in the system's own folders) will do. */
  readonly names: readonly string[];
  readonly debianPackage: string;
}

export const NATS_SERVER: ProgramNeed = { names: ['nats-server'], debianPackage: 'nats-server' };
export const MARIADB_SERVER: ProgramNeed = { names: ['mariadbd', 'mysqld'], debianPackage: 'mariadb-server' };

/** What became of a need. `missing`: the command that would install it, for the person in front of it. */
export type ProgramState =
  | { readonly kind: 'present'; readonly installed: boolean }
  | { readonly kind: 'missing'; readonly name: string; readonly command: string; readonly reason: string };

const SYSTEM_FOLDERS = ['/usr/local/sbin', '/usr/local/bin', '/usr/sbin', '/usr/bin'];

/**
 * Makes sure that a program is there. It is installed from Debian's packages only when this runs as root on Debian; otherwise the
 * command that would do it is told, and nothing is run with other rights than ours.
 */
export async function ensureProgram(need: ProgramNeed, say: (line: string) => void): Promise<ProgramState> {
  if (isPresent(need)) return { kind: 'present', installed: false };
  const [name = ''] = need.names;
  const command = `apt-get install -y ${need.debianPackage}`;
  const missing = (reason: string): ProgramState => ({ kind: 'missing', name, command, reason });
  if (!isDebian()) return missing('it is not on PATH, and this is not a Debian system');
  if (process.getuid?.() !== 0) return missing('it is not on PATH, and only root can install it');
  say(`installing ${need.debianPackage} from Debian's packages …`);
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  // An installed server package must not start a server of its own on the default port.
  const policy = ['-o', 'DPkg::Options::=--force-confold'];
  for (const args of [
    ['update', '-qq'],
    ['install', '-y', '-qq', '--no-install-recommends', ...policy, need.debianPackage],
  ]) {
    const result = await run('apt-get', args, env);
    if (result.code !== 0 && args[0] === 'install')
      return missing(`apt-get failed: ${result.output.trim().split('\n').at(-1) ?? ''}`);
  }
  return isPresent(need)
    ? { kind: 'present', installed: true }
    : missing('it was installed, but the program is not where it should be');
}

function isPresent(need: ProgramNeed): boolean {
  const folders = [...(process.env.PATH ?? '').split(delimiter), ...SYSTEM_FOLDERS].filter((folder) => folder !== '');
  return need.names.some((name) => folders.some((folder) => existsSync(join(folder, name))));
}

function isDebian(): boolean {
  try {
    return /^ID(_LIKE)?=.*debian/m.test(readFileSync('/etc/os-release', 'utf8'));
  } catch {
    return false;
  }
}

function run(
  command: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<{ code: number; output: string }> {
  return new Promise((resolve) => {
    const child = spawn(command, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    const keep = (chunk: Buffer): void => {
      output = `${output}${chunk.toString('utf8')}`.slice(-8_192);
    };
    child.stdout.on('data', keep);
    child.stderr.on('data', keep);
    child.on('error', (error) => resolve({ code: 1, output: error.message }));
    child.on('close', (code) => resolve({ code: code ?? 1, output }));
  });
}
