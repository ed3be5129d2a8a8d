import { propagation, trace } from '@opentelemetry/api';
import { type Log, SILENT_LOG } from './log.ts';
import { logSdkMessages } from './sdk-messages.ts';
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

/**
 * Starts the official SDK, configured by the standard `OTEL_*` variables. `env` decides whether it is started; the SDK itself
 * reads the environment of the process. Also when tracing is off, incoming traces are handed on. Call it before the first database driver is loaded, else its spans are missing.
 */
export async function startTelemetry(env: Environment = process.env, log: Log = SILENT_LOG): Promise<Telemetry> {
  propagation.setGlobalPropagator(W3C_PROPAGATOR);
  if (!tracingRequested(env)) return OFF;
  const [{ NodeSDK, resources }, { PgInstrumentation }, { MySQL2Instrumentation }] = await Promise.all([
    import('@opentelemetry/sdk-node'),
    import('@opentelemetry/instrumentation-pg'),
    import('@opentelemetry/instrumentation-mysql2'),
  ]);
  logSdkMessages(log, env.OTEL_LOG_LEVEL);
  const sdk = new NodeSDK({
    ...(env.OTEL_SERVICE_NAME === undefined && !namesService(env.OTEL_RESOURCE_ATTRIBUTES)
      ? { serviceName: 'backflow' }
      : {}),
    // The default detectors record the command line of the process, which may hold a URL with a password.
    ...(env.OTEL_NODE_RESOURCE_DETECTORS === undefined
      ? { resourceDetectors: [resources.envDetector, resources.hostDetector] }
      : {}),
    // Metrics are scraped at /metrics and logs go to stderr; both go out by OTLP only on request.
    ...(env.OTEL_METRICS_EXPORTER === undefined ? { metricReaders: [] } : {}),
    ...(env.OTEL_LOGS_EXPORTER === undefined ? { logRecordProcessors: [] } : {}),
    ...(env.OTEL_SPAN_ATTRIBUTE_VALUE_LENGTH_LIMIT === undefined && env.OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT === undefined
      ? { spanLimits: { attributeValueLengthLimit: DEFAULT_VALUE_LENGTH } }
      : {}),
    // Ours is set already; `OTEL_PROPAGATORS` has no say, since context travels in NATS headers in W3C form.
    textMapPropagator: null,
    instrumentations: [
      new PgInstrumentation({ enhancedDatabaseReporting: false, requireParentSpan: true }),
      new MySQL2Instrumentation(),
    ],
  });
  // Its constructor may have put its own logger in place.
  logSdkMessages(log, env.OTEL_LOG_LEVEL);
  sdk.start();
  return {
    enabled: true,
    flush: async () => {
      await withinTime(forceFlush(), SHUTDOWN_MS);
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

function namesService(attributes: string | undefined): boolean {
  return attributes !== undefined && /(^|,)\s*service\.name\s*=/.test(attributes);
}

/** The SDK facade has no flush of its own; the provider that it registered has. A collector that is away is no error of ours. */
async function forceFlush(): Promise<void> {
  const provider = trace.getTracerProvider();
  const delegate =
    'getDelegate' in provider && typeof provider.getDelegate === 'function' ? provider.getDelegate() : provider;
  if (typeof delegate === 'object' && delegate !== null && 'forceFlush' in delegate) {
    if (typeof delegate.forceFlush === 'function') await Promise.resolve(delegate.forceFlush()).catch(() => {});
  }
}
