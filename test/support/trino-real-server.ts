import { execFile, spawn } from 'node:child_process';
import { pbkdf2Sync, randomBytes } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePorts } from './free-port.ts';
import { selfSignedCertificate } from './self-signed-certificate.ts';

const VERSION = '476';
const KEPT = join(import.meta.dirname, '../../.backflow/peers', `trino-server-${VERSION}`);
/** What is needed of some fifty plugins; the rest costs a gigabyte and half a minute at every start. */
const PLUGINS = new Set(['memory', 'hive', 'iceberg', 'geospatial', 'password-authenticators']);
const run = promisify(execFile);

/** A real Trino on this machine: its programs, or why they cannot be had and what would bring them. */
export type TrinoPrograms = { readonly home: string; readonly java: string } | { readonly missing: string };

/** Looks for Java 24 or newer and the server; downloads the server once (821 MB) with Maven where that is there. */
export async function obtainTrino(): Promise<TrinoPrograms> {
  const java = javaHome();
  if (java === undefined) return { missing: 'Java 25 is not installed (looked in JAVA_HOME and /usr/lib/jvm).' };
  const given = process.env.BACKFLOW_PEER_TRINO;
  if (given !== undefined) return { home: given, java };
  if (existsSync(KEPT)) return { home: KEPT, java };
  const archive = join(homedir(), '.m2/repository/io/trino/trino-server', VERSION, `trino-server-${VERSION}.tar.gz`);
  try {
    if (!existsSync(archive)) {
      process.stderr.write(`Downloading Trino ${VERSION} with Maven (821 MB, once)…\n`);
      await run('mvn', [
        '-q',
        '-B',
        'dependency:get',
        `-Dartifact=io.trino:trino-server:${VERSION}:tar.gz`,
        '-Dtransitive=false',
      ]);
    }
    await unpack(archive);
  } catch (error) {
    const reason = error instanceof Error ? (error.message.split('\n')[0] ?? '') : '';
    return {
      missing: `The server could not be had from Maven (${reason}). Set BACKFLOW_PEER_TRINO to an unpacked one.`,
    };
  }
  return { home: KEPT, java };
}

function javaHome(): string | undefined {
  const known = existsSync('/usr/lib/jvm') ? readdirSync('/usr/lib/jvm').map((name) => join('/usr/lib/jvm', name)) : [];
  const candidates = [process.env.JAVA_HOME ?? '', ...known];
  return candidates.find((home) => {
    const release = join(home, 'release');
    if (home === '' || !existsSync(release) || !existsSync(join(home, 'bin/java'))) return false;
    const [, version] = /JAVA_VERSION="(\d+)/.exec(readFileSync(release, 'utf8')) ?? [];
    return Number(version) >= 24;
  });
}

/** Whole, and then without the plugins that are not needed: the archive holds hard links between them. */
async function unpack(archive: string): Promise<void> {
  mkdirSync(join(KEPT, '..'), { recursive: true });
  const fresh = mkdtempSync(join(KEPT, '../unpacking-'));
  try {
    await run('tar', ['xzf', archive, '-C', fresh, '--strip-components=1']);
    for (const plugin of readdirSync(join(fresh, 'plugin'))) {
      if (!PLUGINS.has(plugin)) rmSync(join(fresh, 'plugin', plugin), { recursive: true });
    }
    renameSync(fresh, KEPT);
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
}

export interface RealTrino {
  /** HTTPS with passwords. */
  readonly port: number;
  readonly caCertificate: string;
  readonly passwords: Readonly<Record<string, string>>;
  /** Where the catalogs with a file metastore keep it: `<folder>/<catalog>/ms`. */
  readonly files: string;
  stop(): Promise<void>;
}

const PASSWORDS = { admin: 'admin secret', backflow: "role secret '%'", guest: 'guest secret' };

/** Nobody but admin may write in the schema `secret`. */
const RULES = {
  catalogs: [{ allow: 'all' }],
  schemas: [{ user: 'admin', owner: true }, { schema: 'secret', owner: false }, { owner: true }],
  tables: [
    { user: 'admin', privileges: ['OWNERSHIP', 'SELECT'] },
    { schema: 'secret', privileges: ['SELECT'] },
    { privileges: ['OWNERSHIP', 'SELECT'] },
  ],
  system_session_properties: [{ allow: true }],
  catalog_session_properties: [{ allow: true }],
  authorization: [
    { original_user: '.*', new_user: '.*', allow: true },
    { original_user: '.*', new_role: '.*', allow: true },
  ],
};

/** Ends the server when our end of its standard input is closed, so that it does not outlive tests that were killed. */
const WATCHED = 'exec 3<&0; "$@" & server=$!; (cat <&3 >/dev/null; kill -9 $server) 2>/dev/null & wait $server';

/** A real server with catalogs `memory`, `lake` (Hive, no security of its own), `strict` (Hive, sql-standard) and `ice` (Iceberg). */
export async function startRealTrino({ home, java }: { home: string; java: string }): Promise<RealTrino> {
  const folder = mkdtempSync(join(tmpdir(), 'backflow-trino-'));
  const [http = 0, https = 0] = await freePorts(2);
  const tls = selfSignedCertificate('a real Trino');
  const put = (path: string, ...lines: readonly string[]): void => {
    const file = join(folder, path);
    mkdirSync(join(file, '..'), { recursive: true });
    writeFileSync(file, `${lines.join('\n')}\n`);
  };
  for (const name of ['data', 'lake', 'strict', 'ice']) mkdirSync(join(folder, name));
  put('etc/server.pem', tls.key + tls.cert);
  put('etc/password.db', ...Object.entries(PASSWORDS).map(([user, password]) => `${user}:${hashed(password)}`));
  put('etc/rules.json', JSON.stringify(RULES));
  put(
    'etc/password-authenticator.properties',
    'password-authenticator.name=file',
    `file.password-file=${folder}/etc/password.db`,
  );
  put('etc/access-control.properties', 'access-control.name=file', `security.config-file=${folder}/etc/rules.json`);
  put('etc/jvm.config', '-Xmx1G', '--add-modules=jdk.incubator.vector');
  put(
    'etc/node.properties',
    'node.environment=test',
    'node.id=n1',
    `node.data-dir=${folder}/data`,
    'node.internal-address=127.0.0.1',
    'node.bind-ip=127.0.0.1',
  );
  put(
    'etc/config.properties',
    'coordinator=true',
    'node-scheduler.include-coordinator=true',
    `http-server.http.port=${http}`,
    `discovery.uri=http://127.0.0.1:${http}`,
    'http-server.https.enabled=true',
    `http-server.https.port=${https}`,
    `http-server.https.keystore.path=${folder}/etc/server.pem`,
    'http-server.authentication.type=PASSWORD',
    `internal-communication.shared-secret=${randomBytes(24).toString('hex')}`,
    'query.max-history=100000',
    'query.min-expire-age=60m',
  );
  const metastore = (catalog: string) => [
    'hive.metastore.catalog.dir=local:///ms',
    'fs.native-local.enabled=true',
    `local.location=${folder}/${catalog}`,
  ];
  put('etc/catalog/memory.properties', 'connector.name=memory');
  put(
    'etc/catalog/lake.properties',
    'connector.name=hive',
    'hive.metastore=file',
    'hive.security=allow-all',
    ...metastore('lake'),
  );
  put(
    'etc/catalog/strict.properties',
    'connector.name=hive',
    'hive.metastore=file',
    'hive.security=sql-standard',
    ...metastore('strict'),
  );
  put(
    'etc/catalog/ice.properties',
    'connector.name=iceberg',
    'iceberg.catalog.type=TESTING_FILE_METASTORE',
    ...metastore('ice'),
  );

  const child = spawn('sh', ['-c', WATCHED, 'sh', join(home, 'bin/launcher'), 'run', `--etc-dir=${folder}/etc`], {
    cwd: folder,
    detached: true,
    env: { ...process.env, JAVA_HOME: java, PATH: `${join(java, 'bin')}:${process.env.PATH ?? ''}` },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const stop = async (): Promise<void> => {
    // The shell and the server that it started: their group, which is ours alone.
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGKILL');
    await ended;
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  };
  let log = '';
  const started = new Promise<boolean>((resolve) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        log = (log + text).slice(-20_000);
        if (log.includes('SERVER STARTED')) resolve(true);
      });
    }
    void ended.then(() => resolve(false));
  });
  if (!(await started)) {
    await stop();
    throw new Error(`Trino did not start:\n${log}`);
  }
  return { port: https, caCertificate: tls.cert, passwords: PASSWORDS, files: folder, stop };
}

/** As Trino's password files hold it: iterations, salt and PBKDF2 hash. */
function hashed(password: string): string {
  const salt = randomBytes(16);
  return `1000:${salt.toString('hex')}:${pbkdf2Sync(password, salt, 1000, 64, 'sha1').toString('hex')}`;
}
