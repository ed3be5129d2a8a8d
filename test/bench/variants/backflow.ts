// The service with all promises on; tracing is sampled at 1 % through the standard variables.
import { startService } from '../../../src/service.ts';
import { createLog } from '../../../src/telemetry/log.ts';
import { startTelemetry } from '../../../src/telemetry/start.ts';

await startTelemetry(process.env);
const service = await startService({
  natsUrl: process.env.BENCH_NATS ?? '',
  dataDir: process.env.BENCH_DATA ?? '',
  http: { host: '127.0.0.1', port: 0 },
  configPath: process.env.BENCH_CONFIG ?? '',
  webhookSecrets: [],
  allowUnsigned: true,
  log: createLog({ level: 'warn' }),
});

process.once('SIGTERM', () => void service.stop().finally(() => process.exit(0)));
