import type { Instrumentation } from '@opentelemetry/instrumentation';

/** What of the tracing SDK the standard variables do not decide. */
export interface SdkSettings {
  /** Absent where the variables name the service. */
  readonly serviceName?: string;
  /** Characters of a span's attribute before it is cut; absent where the variables say it. */
  readonly valueLength?: number;
  readonly instrumentations: readonly Instrumentation[];
}

/** A started SDK. Both may reject, and may hang while the collector is away. */
export interface RunningSdk {
  flush(): Promise<void>;
  /** Sends what it has, then ends. */
  shutdown(): Promise<void>;
}
