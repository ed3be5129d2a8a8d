import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type EmbeddedServer, startEmbeddedServer } from '../../streams/nats/embedded-server.ts';

export interface NatsServerOptions {
  /** Kept after `stop()` when given; else a temporary folder of its own. */
  readonly dir?: string;
  readonly port?: number;
  /** More lines for nats-server's configuration file. */
  readonly config?: string;
  /** Program to start; else the one that `BACKFLOW_TEST_NATS_SERVER` names, else the one on PATH. */
  readonly binary?: string;
}

/** A real nats-server with JetStream for one test file. */
export interface NatsServer {
  readonly url: string;
  readonly port: number;
  /** Ends the server and removes its temporary folder. */
  stop(): Promise<void>;
  /** SIGKILL; data stays for `restart()`. */
  kill(): Promise<void>;
  /** Orderly stop; data stays for `restart()`. */
  shutdown(): Promise<void>;
  /** Stops the process from running without ending it: it answers nothing until `thaw()`. */
  freeze(): void;
  thaw(): void;
  /** Starts again on the same port and data; stops it first when it still runs. */
  restart(): Promise<void>;
}

export async function startNatsServer(options: NatsServerOptions = {}): Promise<NatsServer> {
  const dir = options.dir ?? mkdtempSync(join(tmpdir(), 'backflow-nats-'));
  const binary = options.binary ?? process.env.BACKFLOW_TEST_NATS_SERVER;
  const more = {
    ...(options.config === undefined ? {} : { config: options.config }),
    ...(binary === undefined || binary === '' ? {} : { binary }),
  };
  let server: EmbeddedServer = await startEmbeddedServer({
    dir,
    ...(options.port === undefined ? {} : { port: options.port }),
    ...more,
  });
  const { port, url } = server;
  return {
    url,
    port,
    stop: async () => {
      await server.stop();
      if (options.dir === undefined) rmSync(dir, { recursive: true, force: true });
    },
    kill: () => server.kill(),
    shutdown: () => server.stop(),
    freeze: () => void process.kill(server.pid, 'SIGSTOP'),
    thaw: () => void process.kill(server.pid, 'SIGCONT'),
    restart: async () => {
      await server.stop();
      server = await startEmbeddedServer({ dir, port, ...more });
    },
  };
}
