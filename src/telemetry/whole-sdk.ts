import { trace } from '@opentelemetry/api';
import { NodeSDK, resources } from '@opentelemetry/sdk-node';
import type { RunningSdk, SdkSettings } from './sdk-settings.ts';

/** The whole SDK, for whoever asks by `OTEL_*` for other exporters or protocols, for metrics or for logs. */
export async function startWholeSdk(
  { serviceName, valueLength, instrumentations }: SdkSettings,
  env: Readonly<Record<string, string | undefined>>,
): Promise<RunningSdk> {
  const sdk = new NodeSDK({
    ...(serviceName === undefined ? {} : { serviceName }),
    // The default detectors record the command line of the process, which may hold a URL with a password.
    ...(env.OTEL_NODE_RESOURCE_DETECTORS === undefined
      ? { resourceDetectors: [resources.envDetector, resources.hostDetector] }
      : {}),
    // Metrics are scraped at /metrics and logs go to stderr; both go out by OTLP only on request.
    ...(env.OTEL_METRICS_EXPORTER === undefined ? { metricReaders: [] } : {}),
    ...(env.OTEL_LOGS_EXPORTER === undefined ? { logRecordProcessors: [] } : {}),
    ...(valueLength === undefined ? {} : { spanLimits: { attributeValueLengthLimit: valueLength } }),
    // Ours is set already; `OTEL_PROPAGATORS` has no say, since context travels in NATS headers in W3C form.
    textMapPropagator: null,
    instrumentations: [...instrumentations],
  });
  sdk.start();
  return { flush: forceFlush, shutdown: () => sdk.shutdown() };
}

/** The SDK facade has no flush of its own; the provider that it registered has. */
async function forceFlush(): Promise<void> {
  const provider = trace.getTracerProvider();
  const delegate =
    'getDelegate' in provider && typeof provider.getDelegate === 'function' ? provider.getDelegate() : provider;
  if (typeof delegate === 'object' && delegate !== null && 'forceFlush' in delegate) {
    if (typeof delegate.forceFlush === 'function') await delegate.forceFlush();
  }
}
