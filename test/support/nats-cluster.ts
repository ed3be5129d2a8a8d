import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { apiRequest } from '../../streams/nats/api-request.ts';
import type { NatsLink } from '../../streams/nats/connection.ts';
import { type EmbeddedServer, startEmbeddedServer } from '../../streams/nats/embedded-server.ts';
import { freePorts } from './free-port.ts';
import { until } from './until.ts';

const NODES = ['n1', 'n2', 'n3'] as const;
export type NodeName = (typeof NODES)[number];

/** One server of the cluster, a process of its own. */
export interface ClusterNode {
  readonly name: NodeName;
  readonly url: string;
  /** SIGKILL; its data stays. */
  kill(): Promise<void>;
  /** SIGTERM; its data stays. */
  shutdown(): Promise<void>;
  /** Starts it again on the same ports and data. Waits for the process, not for its streams: see `healthy`. */
  restart(): Promise<void>;
  freeze(): void;
  thaw(): void;
}

/** Three nats-servers with JetStream in one cluster, on 127.0.0.1. */
export interface NatsCluster {
  readonly nodes: readonly ClusterNode[];
  /** All nodes, for `connectNats`. */
  readonly urls: readonly string[];
  /** As `NATS_URL` has it. */
  readonly url: string;
  node(name: string): ClusterNode;
  /** Waits until every node that runs has all of its streams and consumers up to date. */
  healthy(): Promise<void>;
  stop(): Promise<void>;
}

/** `binary`: the program; absent the one on PATH. */
export async function startNatsCluster(options: { readonly binary?: string } = {}): Promise<NatsCluster> {
  const root = mkdtempSync(join(tmpdir(), 'backflow-cluster-'));
  const [routePorts, monitorPorts] = [await freePorts(NODES.length), await freePorts(NODES.length)];
  const routes = routePorts.map((port) => `"nats://127.0.0.1:${port}"`).join(', ');
  const running = new Map<NodeName, EmbeddedServer>();

  const start = async (index: number, name: NodeName, port: number | undefined): Promise<EmbeddedServer> => {
    const config = [
      `server_name: ${name}`,
      `http: "127.0.0.1:${monitorPorts[index]}"`,
      `cluster { name: backflow, listen: "127.0.0.1:${routePorts[index]}", routes: [ ${routes} ] }`,
    ].join('\n');
    const server = await startEmbeddedServer({
      dir: join(root, name),
      config,
      readyTimeoutMs: 60_000,
      ...(port === undefined ? {} : { port }),
      ...(options.binary === undefined ? {} : { binary: options.binary }),
    });
    running.set(name, server);
    return server;
  };
  const end = async (name: NodeName, how: 'stop' | 'kill'): Promise<void> => {
    const server = running.get(name);
    running.delete(name);
    await server?.[how]();
  };
  const stop = async (): Promise<void> => {
    await Promise.all([...running.keys()].map((name) => end(name, 'kill')));
    rmSync(root, { recursive: true, force: true });
  };
  const healthy = () =>
    until(async () => {
      const answers = NODES.map((name, index) => !running.has(name) || isHealthy(monitorPorts[index]));
      return (await Promise.all(answers)).every((answer) => answer);
    }, 60_000);

  try {
    const nodes = await Promise.all(
      NODES.map(async (name, index): Promise<ClusterNode> => {
        const { port, url } = await start(index, name, undefined);
        const send = (signal: 'SIGSTOP' | 'SIGCONT'): void => {
          const pid = running.get(name)?.pid;
          if (pid !== undefined) process.kill(pid, signal);
        };
        return {
          name,
          url,
          kill: () => end(name, 'kill'),
          shutdown: () => end(name, 'stop'),
          restart: async () => {
            await end(name, 'kill');
            await start(index, name, port);
          },
          freeze: () => send('SIGSTOP'),
          thaw: () => send('SIGCONT'),
        };
      }),
    );
    await healthy();
    const urls = nodes.map((node) => node.url);
    return {
      nodes,
      urls,
      url: urls.join(','),
      node: (name) => {
        const found = nodes.find((node) => node.name === name);
        if (found === undefined) throw new Error(`the cluster has no node ${name}`);
        return found;
      },
      healthy,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

const placement = z.object({ cluster: z.object({ leader: z.string().optional() }).optional() });

/** The node that leads a stream, or one of its consumers; undefined while there is none. */
export async function leaderOf(link: NatsLink, stream: string, durable?: string): Promise<string | undefined> {
  const subject = durable === undefined ? `STREAM.INFO.${stream}` : `CONSUMER.INFO.${stream}.${durable}`;
  const info = await apiRequest(link, subject, undefined, placement, 'find the leader', 1_000).catch(() => undefined);
  return info?.cluster?.leader;
}

/** Makes the leader give up its place, and waits until the group has another one; the answer is its name. */
export async function stepDown(link: NatsLink, stream: string, durable?: string): Promise<string> {
  const before = await leaderOf(link, stream, durable);
  const kind =
    durable === undefined ? `STREAM.LEADER.STEPDOWN.${stream}` : `CONSUMER.LEADER.STEPDOWN.${stream}.${durable}`;
  await apiRequest(link, kind, undefined, z.object({ success: z.boolean().optional() }), 'change the leader');
  let now: string | undefined;
  await until(async () => {
    now = await leaderOf(link, stream, durable);
    return now !== undefined && now !== before;
  }, 30_000);
  return now ?? '';
}

async function isHealthy(port: number | undefined): Promise<boolean> {
  try {
    const response = await fetch(`http://127.0.0.1:${port}/healthz`, { signal: AbortSignal.timeout(1_000) });
    return response.ok;
  } catch {
    return false;
  }
}
