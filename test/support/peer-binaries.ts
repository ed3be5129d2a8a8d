import { spawn } from 'node:child_process';
import { accessSync, constants, mkdirSync } from 'node:fs';
import { join } from 'node:path';

/** A program that the peer tests compare with; built once with Go into `.backflow/peers/bin` and kept there. */
export interface PeerBinary {
  /** As people call it. */
  readonly name: string;
  /** Name of the program's file. */
  readonly program: string;
  /** Environment variable that may hold the path of one that was built elsewhere. */
  readonly variable: string;
  /** What `go install` takes. */
  readonly module: string;
}

/** The release of nats-server that is current; the ordinary tests run on the one that the system has (Debian 12: 2.9.10). */
export const CURRENT_NATS_SERVER: PeerBinary = {
  name: 'nats-server 2.15.2',
  program: 'nats-server',
  variable: 'BACKFLOW_PEER_NATS_SERVER',
  module: 'github.com/nats-io/nats-server/v2@v2.15.2',
};

export type PeerState =
  | { readonly kind: 'present'; readonly path: string }
  /** `command` would make it present. */
  | { readonly kind: 'missing'; readonly reason: string; readonly command: string };

const FOLDER = join(import.meta.dirname, '..', '..', '.backflow', 'peers', 'bin');
const BUILD_TIMEOUT_MS = 15 * 60_000;

/**
 * Finds the program (the variable first, then what was built before) or builds it where Go is present. What is missing is told
 * on stderr with the command that helps; in CI (`CI=true`) it is an error, because there the programs have to be provided.
 */
export async function providePeer(
  peer: PeerBinary,
  say = (line: string): void => void process.stderr.write(`${line}\n`),
): Promise<PeerState> {
  const state = await findOrBuild(peer, say);
  if (state.kind === 'present') return state;
  const told = `${peer.name} is missing: ${state.reason}. Provide it with: ${state.command} (or set ${peer.variable} to its path)`;
  if (process.env.CI === 'true') throw new Error(told);
  say(`\n!! SKIPPED, ${told}\n`);
  return state;
}

async function findOrBuild(peer: PeerBinary, say: (line: string) => void): Promise<PeerState> {
  const given = process.env[peer.variable];
  if (given !== undefined && given !== '') {
    if (isExecutable(given)) return { kind: 'present', path: given };
    return { kind: 'missing', reason: `${peer.variable} names no program`, command: commandOf(peer) };
  }
  const path = join(FOLDER, peer.program);
  if (isExecutable(path)) return { kind: 'present', path };
  say(`building ${peer.name} with Go (once, some minutes) …`);
  mkdirSync(FOLDER, { recursive: true });
  const problem = await build(peer);
  if (problem === undefined && isExecutable(path)) return { kind: 'present', path };
  return { kind: 'missing', reason: problem ?? 'the build left no program', command: commandOf(peer) };
}

function commandOf(peer: PeerBinary): string {
  return `CGO_ENABLED=0 GOBIN=$PWD/.backflow/peers/bin go install ${peer.module}`;
}

/** Undefined when it was built, else why not. */
function build(peer: PeerBinary): Promise<string | undefined> {
  return new Promise((done) => {
    const child = spawn('nice', ['-n', '10', 'go', 'install', peer.module], {
      env: { ...process.env, CGO_ENABLED: '0', GOBIN: FOLDER },
      stdio: ['ignore', 'ignore', 'pipe'],
      timeout: BUILD_TIMEOUT_MS,
    });
    let output = '';
    child.stderr.on('data', (chunk: Buffer) => {
      output = `${output}${chunk.toString('utf8')}`.slice(-4_096);
    });
    child.on('error', (error) => done(`Go could not be started (${error.message})`));
    child.on('close', (code) => {
      const last = output.trim().split('\n').at(-1) ?? '';
      done(code === 0 ? undefined : `Go did not build it (${last})`);
    });
  });
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
