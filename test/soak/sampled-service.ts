import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { killWithUs, terminate } from '../support/child-end.ts';
import type { Sample } from './phase-verdict.ts';

const MAIN = fileURLToPath(new URL('../support/sampled-service-main.ts', import.meta.url));
const UP_MS = 60_000;
const ANSWER_MS = 30_000;
const STOP_MS = 20_000;
const LOG_LIMIT = 64 * 1024;

const answer = z.object({ heap: z.number(), rss: z.number(), handles: z.number() });

/** The service as a process of its own, which can be asked about itself. */
export interface SampledService {
  /** Everything of a sample but the lag. */
  sample(): Promise<Omit<Sample, 'lag'>>;
  /** The end of its log. */
  log(): string;
  /** SIGTERM; rejects unless it drained and ended with 0. */
  stop(): Promise<void>;
}

/** Starts the service; resolves when it listens. */
export async function startSampledService(env: Readonly<Record<string, string>>): Promise<SampledService> {
  const { PATH, HOME } = process.env;
  const child = fork(MAIN, ['serve', '--json'], {
    execArgv: ['--expose-gc'],
    env: { PATH, HOME, BACKFLOW_HTTP: '127.0.0.1:0', ...env },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  killWithUs(child);
  let log = '';
  const keep = (text: string): void => {
    log = (log + text).slice(-LOG_LIMIT);
  };
  let closed: string | undefined;
  child.once('close', (code, signal) => {
    closed = String(code ?? signal);
  });
  child.stderr?.setEncoding('utf8').on('data', keep);
  await listens(child, () => log);
  child.stdout?.setEncoding('utf8').on('data', keep);
  return {
    async sample() {
      if (closed !== undefined) throw new Error(`the service has ended (${closed}):\n${log}`);
      const signal = AbortSignal.timeout(ANSWER_MS);
      const answered = once(child, 'message', { signal });
      child.send('sample');
      const [message] = await answered;
      return { ...answer.parse(message), fds: readdirSync(`/proc/${child.pid}/fd`).length };
    },
    log: () => log,
    async stop() {
      if (closed !== undefined) return;
      await terminate(child, once(child, 'close'), STOP_MS);
      if (closed !== '0') throw new Error(`the service ended with ${closed}:\n${log}`);
    },
  };
}

/** `serve --json` answers once it listens. */
function listens(child: ChildProcess, log: () => string): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (what: string): void => {
      clearTimeout(timer);
      reject(new Error(`the service ${what}:\n${log()}`));
    };
    const timer = setTimeout(() => {
      child.kill('SIGKILL');
      fail(`did not listen within ${UP_MS / 1_000} s`);
    }, UP_MS);
    child.once('close', (code) => fail(`ended with ${code} while it started`));
    child.stdout?.setEncoding('utf8').once('data', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
