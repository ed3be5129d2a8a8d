import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { registerInstrumentations } from '@opentelemetry/instrumentation';
import {
  defaultResource,
  detectResources,
  envDetector,
  hostDetector,
  resourceFromAttributes,
} from '@opentelemetry/resources';
import { BatchSpanProcessor, NodeTracerProvider } from '@opentelemetry/sdk-trace-node';
import type { RunningSdk, SdkSettings } from './sdk-settings.ts';

/**
 * The part of the SDK that sends spans over OTLP as protobuf, which is all that most users ask for: the whole SDK would take twice as
 * long to start and 40 MB more.
 */
export async function startSpanSdk({ serviceName, valueLength, instrumentations }: SdkSettings): Promise<RunningSdk> {
  // The default detectors record the command line of the process, which may hold a URL with a password.
  const detected = defaultResource().merge(detectResources({ detectors: [envDetector, hostDetector] }));
  const provider = new NodeTracerProvider({
    resource:
      serviceName === undefined ? detected : detected.merge(resourceFromAttributes({ 'service.name': serviceName })),
    spanProcessors: [new BatchSpanProcessor(new OTLPTraceExporter())],
    ...(valueLength === undefined ? {} : { spanLimits: { attributeValueLengthLimit: valueLength } }),
  });
  // The propagator is ours and set already; `OTEL_PROPAGATORS` has no say, since context travels in NATS headers in W3C form.
  provider.register({ propagator: null });
  registerInstrumentations({ tracerProvider: provider, instrumentations: [...instrumentations] });
  return { flush: () => provider.forceFlush(), shutdown: () => provider.shutdown() };
}
