import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { accessSync, constants, existsSync, rmSync } from 'node:fs';
import { chmod, chown, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { BackflowError } from '../domain/failure.ts';

/** MariaDB cannot be started here; the message says why and names the command that repairs it. */
export class MariadbError extends BackflowError {}

export interface MariadbOptions {
  /** Further server arguments, such as `--sql-mode=ANSI_QUOTES`. They come last and win. */
  readonly arguments?: readonly string[];
  /** Folder under which the server's own temporary folder is made; the system's temporary folder by default. */
  readonly parent?: string;
  /** Speed instead of durability: no flush at commit, no double write, data in shared memory where it can be written. */
  readonly volatile?: boolean;
  /** Folders in which the server's programs are looked for; those of PATH and the system's usual ones by default. */
  readonly programFolders?: readonly string[];
}

export interface MariadbServer {
  readonly host: '127.0.0.1';
  readonly port: number;
  readonly user: 'root';
  readonly password: string;
  readonly pid: number;
  /** Ends the server and removes its data. Calling it again does nothing. */
  stop(): Promise<void>;
}

const INSTALL_COMMAND = 'apt-get install mariadb-server';
const START_TIMEOUT_MS = 60_000;
const STOP_TIMEOUT_MS = 15_000;

/**
 * Starts a MariaDB server of its own: new data folder, free port on 127.0.0.1, account `root` with a random password over TCP.
 * As root the server runs under an unprivileged account. Throws `MariadbError`.
 */
export async function startMariadb(options: MariadbOptions = {}): Promise<MariadbServer> {
  const folders = options.programFolders ?? systemFolders();
  const server = serverProgram(folders);
  const install = installProgram(folders);
  if (server === undefined || install === undefined) {
    const missing = server === undefined ? 'mariadbd' : 'mariadb-install-db';
    throw new MariadbError(
      'mariadb-not-installed',
      'unsupported',
      `MariaDB's program ${missing} was not found on PATH. Install it with: ${INSTALL_COMMAND}`,
    );
  }
  const account = process.getuid?.() === 0 ? await unprivilegedAccount() : undefined;
  const folder = await mkdtemp(join(options.parent ?? defaultParent(options), 'backflow-mariadb-'));
  try {
    // The socket and data folders stand inside; the account has to be able to enter.
    await chmod(folder, 0o711);
    if (account !== undefined) await chown(folder, account.uid, account.gid);
    await initialise(install, folder, account);
    const password = randomBytes(18).toString('base64url');
    const initFile = await writeInitFile(folder, password, account);
    // A free port can be taken by somebody else before the server binds it: then another one is tried.
    for (let attempt = 1; ; attempt += 1) {
      const port = await freePort();
      try {
        const child = await boot(server, serverArguments(folder, port, initFile, options), account);
        await rm(initFile, { force: true });
        return running(child, folder, port, password);
      } catch (error) {
        const busy = error instanceof MariadbError && error.message.includes('in use');
        if (!busy || attempt === 3) throw error;
      }
    }
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
}

interface Account {
  readonly uid: number;
  readonly gid: number;
}

/** Debian keeps the server in /usr/sbin, which is often not on an ordinary user's PATH. */
function systemFolders(): readonly string[] {
  return [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin', '/usr/bin'];
}

function serverProgram(folders: readonly string[]): string | undefined {
  return find('mariadbd', folders) ?? find('mysqld', folders);
}

function installProgram(folders: readonly string[]): string | undefined {
  return find('mariadb-install-db', folders) ?? find('mysql_install_db', folders);
}

function find(program: string, folders: readonly string[]): string | undefined {
  for (const folder of folders) {
    if (folder === '') continue;
    const path = join(folder, program);
    try {
      accessSync(path, constants.X_OK);
      return path;
    } catch {
      // Not here: the next folder.
    }
  }
  return undefined;
}

function defaultParent(options: MariadbOptions): string {
  if (options.volatile !== true) return tmpdir();
  try {
    accessSync('/dev/shm', constants.W_OK | constants.X_OK);
    return '/dev/shm';
  } catch {
    return tmpdir();
  }
}

async function unprivilegedAccount(): Promise<Account> {
  const lines = (await readFile('/etc/passwd', 'utf8')).split('\n').map((line) => line.split(':'));
  for (const name of ['mysql', 'nobody']) {
    const fields = lines.find((line) => line[0] === name);
    const uid = Number(fields?.[2]);
    const gid = Number(fields?.[3]);
    if (Number.isInteger(uid) && uid > 0 && Number.isInteger(gid)) return { uid, gid };
  }
  throw new MariadbError(
    'mariadb-no-account',
    'unsupported',
    'MariaDB does not run as root, and there is neither an account "mysql" nor "nobody". Run as an ordinary user instead.',
  );
}

async function initialise(program: string, folder: string, account: Account | undefined): Promise<void> {
  const base = dirname(dirname(program));
  const child = spawn(
    program,
    [
      '--no-defaults',
      ...(existsSync(join(base, 'share')) ? [`--basedir=${base}`] : []),
      `--datadir=${join(folder, 'data')}`,
      '--auth-root-authentication-method=normal',
      '--skip-test-db',
      '--skip-name-resolve',
    ],
    { stdio: ['ignore', 'pipe', 'pipe'], cwd: folder, ...account },
  );
  const log = lastLines(child);
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  if (code !== 0) {
    throw new MariadbError(
      'mariadb-initialise',
      'transient',
      `mariadb-install-db ended with code ${code}. Its last lines: ${log()}`,
    );
  }
}

/** The password reaches the server by a file that only it can read, never by its command line. */
async function writeInitFile(folder: string, password: string, account: Account | undefined): Promise<string> {
  const path = join(folder, 'init.sql');
  const statements = [
    `ALTER USER root@localhost IDENTIFIED BY '${password}';`,
    `CREATE OR REPLACE USER root@127.0.0.1 IDENTIFIED BY '${password}';`,
    'GRANT ALL PRIVILEGES ON *.* TO root@127.0.0.1 WITH GRANT OPTION;',
  ];
  await writeFile(path, `${statements.join('\n')}\n`, { mode: 0o600 });
  if (account !== undefined) await chown(path, account.uid, account.gid);
  return path;
}

function serverArguments(folder: string, port: number, initFile: string, options: MariadbOptions): string[] {
  return [
    '--no-defaults',
    `--datadir=${join(folder, 'data')}`,
    `--socket=${join(folder, 'socket')}`,
    `--pid-file=${join(folder, 'pid')}`,
    `--tmpdir=${folder}`,
    '--bind-address=127.0.0.1',
    `--port=${port}`,
    `--init-file=${initFile}`,
    '--skip-name-resolve',
    '--skip-log-bin',
    '--character-set-server=utf8mb4',
    '--innodb-buffer-pool-size=64M',
    '--performance-schema=OFF',
    ...(options.volatile === true
      ? ['--innodb-flush-log-at-trx-commit=0', '--innodb-doublewrite=0', '--innodb-flush-method=nosync', '--sync-frm=0']
      : []),
    ...(options.arguments ?? []),
  ];
}

/** Resolves once the server accepts connections; it runs the init file before that. */
function boot(program: string, args: readonly string[], account: Account | undefined): Promise<ChildProcess> {
  const child = spawn(program, [...args], { stdio: ['ignore', 'pipe', 'pipe'], ...account });
  const log = lastLines(child);
  return new Promise((resolve, reject) => {
    const fail = (reason: string, cause?: unknown): void => {
      clearTimeout(timer);
      child.kill('SIGKILL');
      const text = `MariaDB did not start: ${reason}. Its last lines: ${log()}`;
      reject(new MariadbError('mariadb-start', 'transient', text, { cause }));
    };
    const timer = setTimeout(() => fail(`not ready after ${START_TIMEOUT_MS / 1000} s`), START_TIMEOUT_MS);
    const ended = (code: number | null): void => fail(`it ended with code ${code}`);
    child.once('error', (error) => fail(error.message, error));
    child.once('close', ended);
    child.stderr?.on('data', () => {
      if (!log().includes('ready for connections')) return;
      clearTimeout(timer);
      child.removeListener('close', ended);
      child.stderr?.removeAllListeners('data');
      child.stderr?.resume();
      resolve(child);
    });
  });
}

function running(child: ChildProcess, folder: string, port: number, password: string): MariadbServer {
  const closed = new Promise<void>((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) resolve();
    child.once('close', () => resolve());
  });
  // A process that ends without stopping its server must not leave it behind.
  const onExit = (): void => {
    child.kill('SIGKILL');
    try {
      rmSync(folder, { recursive: true, force: true });
    } catch {
      // The dying server may still hold a file; the folder is a temporary one.
    }
  };
  process.once('exit', onExit);
  let stopping: Promise<void> | undefined;
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM');
    const timer = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS);
    await closed;
    clearTimeout(timer);
    process.removeListener('exit', onExit);
    await rm(folder, { recursive: true, force: true });
  };
  return {
    host: '127.0.0.1',
    port,
    user: 'root',
    password,
    pid: child.pid ?? 0,
    stop: () => {
      stopping ??= stop();
      return stopping;
    },
  };
}

/** Keeps the end of what a program prints, for error messages. */
function lastLines(child: ChildProcess): () => string {
  let text = '';
  const add = (chunk: Buffer): void => {
    text = (text + chunk.toString('utf8')).slice(-4000);
  };
  child.stdout?.on('data', add);
  child.stderr?.on('data', add);
  return () => text.trim().split('\n').slice(-12).join('\n');
}

async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve, reject) => {
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', resolve);
  });
  const address = probe.address();
  await new Promise<void>((resolve) => {
    probe.close(() => resolve());
  });
  if (address === null || typeof address === 'string') {
    throw new MariadbError('mariadb-no-port', 'transient', 'No free port was given on 127.0.0.1.');
  }
  return address.port;
}
