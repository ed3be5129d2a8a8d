import { z } from 'zod';
import { parseServerAddresses } from '../../../streams/nats/server-address.ts';
import { StartAbandonedError } from '../../service/reach-nats.ts';
import { createLog } from '../../telemetry/log.ts';
import { startTelemetry } from '../../telemetry/start.ts';
import { withinTime } from '../../telemetry/within-time.ts';
import type { CommandCall } from '../command.ts';
import { dataDir, httpAddress, natsEnvironment, testLeaseMs, webhookSecrets } from '../environment.ts';
import { EXIT, type ExitCode } from '../exit.ts';
import { readOptions } from '../options.ts';
import { keepHeapSmall } from '../small-heap.ts';
import { untilSignal } from '../until-signal.ts';

const schema = z.object({ config: z.string().optional(), allowUnsigned: z.boolean().optional() });

/** What may still be under way when the service is told to end has so long to finish, milliseconds. */
const GRACE_MS = 15_000;
/** Without NATS nothing can be finished any more; only connections are closed. */
const FATAL_GRACE_MS = 3_000;

/** `backflow serve`: a replica until SIGTERM or SIGINT. It drains and exits 0; when it cannot go on it exits 1 with the reason. */
export async function serve({ output, options }: CommandCall): Promise<ExitCode> {
  keepHeapSmall();
  const { config, allowUnsigned = false } = readOptions(schema, options);
  const { env } = process;
  const http = httpAddress(env);
  const nats = natsEnvironment(env);
  const secrets = webhookSecrets(env);
  const leaseMs = testLeaseMs(env);
  const configPath = config ?? (env.BACKFLOW_CONFIG?.trim() || undefined);
  const log = createLog();
  const telemetry = await startTelemetry(env, log);
  // Only after tracing has started: what loads a database driver before that has no spans.
  const { startService } = await import('../../service.ts');
  const ended = Promise.withResolvers<{ readonly fatal?: string }>();
  const signal = untilSignal();
  const abandon = new AbortController();
  void signal.then(() => abandon.abort());
  try {
    const service = await startService({
      ...(nats.url === undefined ? {} : { natsUrl: nats.url }),
      ...(nats.credsFile === undefined ? {} : { natsCreds: nats.credsFile }),
      ...(nats.tls === undefined ? {} : { natsTls: nats.tls }),
      ...(nats.replicas === undefined ? {} : { natsReplicas: nats.replicas }),
      dataDir: dataDir(env),
      http,
      ...(configPath === undefined ? {} : { configPath }),
      webhookSecrets: secrets,
      allowUnsigned,
      ...(leaseMs === undefined ? {} : { leaseMs }),
      log,
      signal: abandon.signal,
      onFatal: (reason) => ended.resolve({ fatal: reason }),
    });
    const natsAt = parseServerAddresses(service.natsUrl).servers.join(', ');
    output.answer({ url: service.url, nats: natsAt, webhook: `${service.url}/ingest/openmetadata` }, () =>
      [
        `backflow listens on ${service.url}`,
        `  webhook  ${service.url}/ingest/openmetadata${webhookRemark(secrets, allowUnsigned)}`,
        `  NATS     ${natsAt}${nats.url === undefined ? ' (a server of its own)' : ''}`,
      ].join('\n'),
    );
    void signal.then(() => ended.resolve({}));
    const { fatal } = await ended.promise;
    if (fatal === undefined) output.say('draining …');
    else output.say(`backflow: it cannot go on: ${fatal}`);
    const graceMs = fatal === undefined ? GRACE_MS : FATAL_GRACE_MS;
    const stopped = await withinTime(
      service.stop().then(() => true),
      graceMs,
    );
    if (stopped === undefined) {
      output.say(
        `backflow: not all was finished within ${graceMs / 1000} s; the rest comes again after the next start`,
      );
    }
    return fatal === undefined ? EXIT.ok : EXIT.problems;
  } catch (error) {
    // Told to end while it waited for NATS: nothing was begun.
    if (error instanceof StartAbandonedError) return EXIT.ok;
    throw error;
  } finally {
    await telemetry.shutdown();
  }
}

function webhookRemark(secrets: readonly string[], allowUnsigned: boolean): string {
  if (secrets.length > 0) return '';
  return allowUnsigned
    ? ' (unsigned bodies are taken while it listens on loopback)'
    : ' (refuses everything: set BACKFLOW_WEBHOOK_SECRETS)';
}
