import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect as connectSocket } from 'node:net';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { claimFolder, PID_FILE } from './claim-folder.ts';
import { findServerBinary } from './server-binary.ts';
import { StreamError } from './stream-error.ts';

export interface EmbeddedServerOptions {
  /** Folder for JetStream's data, the log and the pid file; made when missing. */
  readonly dir: string;
  /** Client port on 127.0.0.1; a free one when absent. */
  readonly port?: number;
  /** More lines for the server's configuration file. */
  readonly config?: string;
  /** Program to start; searched for on PATH when absent. */
  readonly binary?: string;
  readonly readyTimeoutMs?: number;
}

/** A nats-server that runs as our child and ends with us. */
export interface EmbeddedServer {
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  /** Resolves when the process has ended, whoever ended it. */
  readonly exited: Promise<void>;
  /** Orderly stop (SIGTERM, after 5 s SIGKILL). Calling it again is harmless. */
  stop(): Promise<void>;
  /** SIGKILL, for tests of a crash. */
  kill(): Promise<void>;
}

const portsFile = z.object({ nats: z.array(z.string()).min(1) });

/** Starts nats-server with JetStream on 127.0.0.1 and waits until it answers. Errors: `server-missing`, `data-in-use`, `server-failed`. */
export async function startEmbeddedServer(options: EmbeddedServerOptions): Promise<EmbeddedServer> {
  const binary = options.binary ?? findServerBinary();
  const dir = resolve(options.dir);
  mkdirSync(dir, { recursive: true });
  const log = join(dir, 'nats-server.log');
  const configFile = join(dir, 'nats-server.conf');
  await claimFolder(dir, configFile);
  writeFileSync(configFile, serverConfig(dir, log, options));

  // A process group of its own: Ctrl-C in the terminal must not end the server before we have drained.
  const child = spawn(binary, ['-c', configFile], { detached: true, stdio: 'ignore' });
  const exited = new Promise<void>((done) => {
    child.once('exit', () => done());
    child.once('error', () => done());
  });
  const endWithUs = () => void signal(child, 'SIGTERM');
  process.once('exit', endWithUs);
  void exited.then(() => process.removeListener('exit', endWithUs));

  try {
    const port = await waitUntilReady(child, exited, dir, options.readyTimeoutMs ?? 15_000);
    return {
      url: `nats://127.0.0.1:${port}`,
      port,
      pid: child.pid ?? 0,
      exited,
      stop: () => end(child, exited, 'SIGTERM'),
      kill: () => end(child, exited, 'SIGKILL'),
    };
  } catch (error) {
    await end(child, exited, 'SIGKILL');
    throw new StreamError('server-failed', `nats-server did not start; see ${log}${lastLogLine(log)}`, {
      cause: error,
    });
  }
}

function serverConfig(dir: string, log: string, options: EmbeddedServerOptions): string {
  return [
    'host: "127.0.0.1"',
    `port: ${options.port ?? -1}`,
    `pid_file: ${JSON.stringify(join(dir, PID_FILE))}`,
    `ports_file_dir: ${JSON.stringify(dir)}`,
    `log_file: ${JSON.stringify(log)}`,
    'logfile_size_limit: 10MB',
    `jetstream { store_dir: ${JSON.stringify(join(dir, 'jetstream'))} }`,
    options.config ?? '',
    '',
  ].join('\n');
}

async function waitUntilReady(
  child: ChildProcess,
  exited: Promise<void>,
  dir: string,
  timeoutMs: number,
): Promise<number> {
  let ended = false;
  void exited.then(() => {
    ended = true;
  });
  const deadline = performance.now() + timeoutMs;
  while (performance.now() < deadline) {
    if (ended) throw new Error('it ended at once');
    const port = announcedPort(join(dir, `nats-server_${child.pid}.ports`));
    if (port !== undefined && (await greets(port))) return port;
    await sleep(20);
  }
  throw new Error(`it was not ready after ${timeoutMs} ms`);
}

/** The server writes its ports once it listens, which is after JetStream has recovered its streams. */
function announcedPort(file: string): number | undefined {
  try {
    const url = portsFile.parse(JSON.parse(readFileSync(file, 'utf8'))).nats[0] ?? '';
    rmSync(file, { force: true });
    return Number.parseInt(new URL(url).port, 10);
  } catch {
    return undefined;
  }
}

/** Whether a NATS server greets on the port: the first bytes are its INFO line. */
function greets(port: number): Promise<boolean> {
  return new Promise((done) => {
    const socket = connectSocket({ host: '127.0.0.1', port });
    const finish = (answer: boolean) => {
      socket.destroy();
      done(answer);
    };
    socket.setTimeout(2_000, () => finish(false));
    socket.once('error', () => finish(false));
    socket.once('data', (data) => finish(data.toString('latin1').startsWith('INFO ')));
  });
}

async function end(child: ChildProcess, exited: Promise<void>, how: 'SIGTERM' | 'SIGKILL'): Promise<void> {
  signal(child, how);
  const timer = setTimeout(() => signal(child, 'SIGKILL'), 5_000);
  await exited;
  clearTimeout(timer);
}

function signal(child: ChildProcess, name: 'SIGTERM' | 'SIGKILL'): void {
  if (child.exitCode === null && child.signalCode === null) child.kill(name);
}

function readOrEmpty(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

function lastLogLine(log: string): string {
  const line = readOrEmpty(log).trimEnd().split('\n').at(-1) ?? '';
  return line === '' ? '' : `: ${line}`;
}
