import type { ClickHouseSpan, ClickHouseTracer } from '@clickhouse/client';
import { trace } from '@opentelemetry/api';

const NOTHING: ClickHouseSpan = {
  setAttributes: () => {},
  setStatus: () => {},
  recordException: () => {},
  end: () => {},
};

/**
 * The driver's own spans, under the one that is active; none where nothing is traced. The server's error messages quote names and
 * pieces of statements, so of an error only its code is kept.
 */
export const driverTracer: ClickHouseTracer = {
  startActiveSpan(name, options, run) {
    if (trace.getActiveSpan() === undefined) return run(NOTHING);
    return trace.getTracer('@clickhouse/client').startActiveSpan(name, options, (span) =>
      run({
        setAttributes: (attributes) => span.setAttributes(attributes),
        setStatus: ({ code }) => span.setStatus({ code }),
        recordException: () => {},
        end: () => span.end(),
      }),
    );
  },
};
