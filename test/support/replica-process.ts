import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { killWithUs, terminate } from './child-end.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const RESTART_MS = 300;
const LOG_LIMIT = 256 * 1024;

const answerSchema = z.object({ url: z.string() });

export interface ReplicaOptions {
  readonly name: string;
  /** Everything that the replica is told: NATS_URL, BACKFLOW_CONFIG, BACKFLOW_WEBHOOK_SECRETS, … */
  readonly env: Readonly<Record<string, string>>;
  /** Folder of the program; this one when absent (a mutant runs from a copy). */
  readonly root?: string;
}

/** A process that ended although nobody had ended it, with the end of what it said. */
export interface UnexpectedEnd {
  readonly name: string;
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly said: string;
}

/**
 * A replica as a process of its own, kept alive as an orchestrator would: whatever ends it, it is started again until `close()`.
 * States: starting → up (`url` is set) → ended → starting …, closed for good after `close()`.
 */
export class ReplicaProcess {
  readonly name: string;
  readonly unexpected: UnexpectedEnd[] = [];
  #url: string | undefined;
  #child: ChildProcess | undefined;
  #ended: Promise<void> = Promise.resolve();
  #closing = false;
  #expected = false;
  #held: Promise<void> = Promise.resolve();
  #log = '';
  readonly #env: Readonly<Record<string, string>>;
  readonly #binary: string;

  constructor({ name, env, root = ROOT }: ReplicaOptions) {
    this.name = name;
    this.#binary = join(root, 'bin/backflow.js');
    this.#env = env;
    this.#start();
  }

  /** Where it listens; undefined while it is not up. */
  get url(): string | undefined {
    return this.#url;
  }

  /** Of the process that runs now. */
  get pid(): number | undefined {
    return this.#child?.pid;
  }

  /** The end of what all its processes have written, one JSON line for each entry. */
  get log(): string {
    return this.#log;
  }

  /** SIGKILL; the next process starts after `downMs`. */
  kill9(downMs = RESTART_MS): Promise<void> {
    return this.#end('SIGKILL', downMs);
  }

  /** SIGTERM, as in a rolling update; resolves when it has drained and ended. */
  term(downMs = RESTART_MS): Promise<void> {
    return this.#end('SIGTERM', downMs);
  }

  /** SIGSTOP: it does nothing until `cont()`, and knows nothing of it. */
  stop(): void {
    this.#child?.kill('SIGSTOP');
  }

  cont(): void {
    this.#child?.kill('SIGCONT');
  }

  /** Ends it for good. */
  async close(): Promise<void> {
    this.#closing = true;
    this.#expected = true;
    if (this.#child === undefined) return;
    this.#child.kill('SIGCONT');
    await terminate(this.#child, this.#ended, 20_000);
  }

  async #end(signal: 'SIGKILL' | 'SIGTERM', downMs: number): Promise<void> {
    if (this.#child === undefined) return;
    this.#expected = true;
    this.#held = new Promise((resolve) => setTimeout(resolve, downMs));
    this.#child.kill(signal);
    await this.#ended;
  }

  #start(): void {
    const { PATH, HOME } = process.env;
    const child = spawn(process.execPath, [this.#binary, 'serve', '--json'], {
      env: { PATH, HOME, BACKFLOW_HTTP: '127.0.0.1:0', ...this.#env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#child = child;
    this.#expected = false;
    let answer = '';
    let wasUp = false;
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      answer += text;
      const url = urlIn(answer);
      if (url === undefined) {
        this.#keep(text);
        return;
      }
      answer = '';
      this.#url = url;
      wasUp = true;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => this.#keep(text));
    killWithUs(child);
    this.#ended = new Promise((resolve) => {
      child.once('close', (code, signal) => {
        this.#url = undefined;
        this.#child = undefined;
        // Without NATS a replica cannot start, and says so; that is what an orchestrator starts it again for.
        if (!this.#expected && wasUp) {
          this.unexpected.push({ name: this.name, code, signal, said: this.#log.slice(-2_000) });
        }
        resolve();
        void this.#startAgain();
      });
    });
  }

  async #startAgain(): Promise<void> {
    const pause = new Promise((resolve) => setTimeout(resolve, RESTART_MS));
    await Promise.all([this.#held, pause]);
    if (!this.#closing) this.#start();
  }

  #keep(text: string): void {
    this.#log = (this.#log + text).slice(-LOG_LIMIT);
  }
}

/** The address in what `serve --json` answers, once all of it is there. */
function urlIn(text: string): string | undefined {
  try {
    return answerSchema.parse(JSON.parse(text)).url;
  } catch {
    return undefined;
  }
}
