import { propagation } from '@opentelemetry/api';
import { type Log, SILENT_LOG } from './log.ts';
import { logSdkMessages } from './sdk-messages.ts';
import type { SdkSettings } from './sdk-settings.ts';
import { W3C_PROPAGATOR } from './w3c-propagator.ts';
import { withinTime } from './within-time.ts';

/** The running tracer of the process, or nothing at all when tracing is off. */
export interface Telemetry {
  readonly enabled: boolean;
  /** Sends the spans that have ended so far; resolves also when the collector is away, after 5 s at most. */
  flush(): Promise<void>;
  /** Flushes and ends tracing, in 5 s at most; later spans are dropped. Never rejects. */
  shutdown(): Promise<void>;
}

type Environment = Readonly<Record<string, string | undefined>>;

const OFF: Telemetry = { enabled: false, flush: async () => {}, shutdown: async () => {} };

/** A collector that is away must not hold up the end of the process. */
const SHUTDOWN_MS = 5_000;

/** Spans hold whole statements; beyond this many characters a value is cut, unless OTEL_* says otherwise. */
const DEFAULT_VALUE_LENGTH = 16_384;

/** Whether the standard variables ask for traces. Nothing is exported by default: without a collector that would only fail. */
export function tracingRequested(env: Environment): boolean {
  if (env.OTEL_SDK_DISABLED?.trim().toLowerCase() === 'true') return false;
  const exporters = env.OTEL_TRACES_EXPORTER?.trim();
  if (exporters === 'none') return false;
  return Boolean(
    exporters || env.OTEL_EXPORTER_OTLP_ENDPOINT?.trim() || env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT?.trim(),
  );
}

/** Whether the variables ask for more than spans over OTLP as protobuf: another exporter or protocol, metrics, logs, own resources. */
function asksForMore(env: Environment): boolean {
  const other = (name: string, usual: readonly string[]): boolean => {
    const value = env[name]?.trim().toLowerCase() ?? '';
    return value !== '' && !usual.includes(value);
  };
  return (
    other('OTEL_TRACES_EXPORTER', ['otlp']) ||
    other('OTEL_EXPORTER_OTLP_PROTOCOL', ['http/protobuf']) ||
    other('OTEL_EXPORTER_OTLP_TRACES_PROTOCOL', ['http/protobuf']) ||
    other('OTEL_METRICS_EXPORTER', ['none']) ||
    other('OTEL_LOGS_EXPORTER', ['none']) ||
    other('OTEL_NODE_RESOURCE_DETECTORS', []) ||
    other('OTEL_CONFIG_FILE', []) ||
    other('OTEL_EXPERIMENTAL_CONFIG_FILE', [])
  );
}

/**
 * Starts the official SDK, configured by the standard `OTEL_*` variables. `env` decides whether it is started, and how much of it;
 * the SDK itself reads the environment of the process. Also when tracing is off, incoming traces are handed on. Call it before the first database driver is loaded, else its spans are missing.
 */
export async function startTelemetry(env: Environment = process.env, log: Log = SILENT_LOG): Promise<Telemetry> {
  propagation.setGlobalPropagator(W3C_PROPAGATOR);
  if (!tracingRequested(env)) return OFF;
  logSdkMessages(log, env.OTEL_LOG_LEVEL);
  const settings: SdkSettings = {
    ...(env.OTEL_SERVICE_NAME === undefined && !namesService(env.OTEL_RESOURCE_ATTRIBUTES)
      ? { serviceName: 'backflow' }
      : {}),
    ...(env.OTEL_SPAN_ATTRIBUTE_VALUE_LENGTH_LIMIT === undefined && env.OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT === undefined
      ? { valueLength: DEFAULT_VALUE_LENGTH }
      : {}),
    instrumentations: await driverInstrumentations(),
  };
  const sdk = asksForMore(env)
    ? await (await import('./whole-sdk.ts')).startWholeSdk(settings, env)
    : await (await import('./span-sdk.ts')).startSpanSdk(settings);
  // Starting may have put the SDK's own logger in place.
  logSdkMessages(log, env.OTEL_LOG_LEVEL);
  return {
    enabled: true,
    flush: async () => {
      await withinTime(
        sdk.flush().catch(() => {}),
        SHUTDOWN_MS,
      );
    },
    // The SDK sends what it has before it ends.
    shutdown: async () => {
      await withinTime(
        sdk.shutdown().catch(() => {}),
        SHUTDOWN_MS,
      );
    },
  };
}

/** The drivers' own spans. */
async function driverInstrumentations(): Promise<SdkSettings['instrumentations']> {
  const [{ PgInstrumentation }, { MySQL2Instrumentation }] = await Promise.all([
    import('@opentelemetry/instrumentation-pg'),
    import('@opentelemetry/instrumentation-mysql2'),
  ]);
  return [
    new PgInstrumentation({ enhancedDatabaseReporting: false, requireParentSpan: true }),
    new MySQL2Instrumentation(),
  ];
}

function namesService(attributes: string | undefined): boolean {
  return attributes !== undefined && /(^|,)\s*service\.name\s*=/.test(attributes);
}
