import { type Context, isSpanContextValid, type SpanOptions, SpanStatusCode, trace } from '@opentelemetry/api';
import { BackflowError } from '../domain/failure.ts';

/** Name that all spans of the service are made under. */
const TRACER = 'backflow';

/**
 * Runs work under a new span that is a child of the given context, and ends the span with it. The context that the work is given
 * holds the span; it is handed on by hand, never by ambient storage. A failure marks the span with its code, not its text.
 */
export async function inSpan<T>(
  name: string,
  options: SpanOptions,
  parent: Context,
  work: (context: Context) => Promise<T>,
): Promise<T> {
  const span = trace.getTracer(TRACER).startSpan(name, options, parent);
  try {
    return await work(trace.setSpan(parent, span));
  } catch (error) {
    const code = error instanceof BackflowError ? error.code : 'unexpected-error';
    span.setAttribute('error.type', code).setStatus({ code: SpanStatusCode.ERROR, message: code });
    throw error;
  } finally {
    span.end();
  }
}

/** Marks the span of the context as failed although the work went on. */
export function failSpan(context: Context, code: string): void {
  trace.getSpan(context)?.setAttribute('error.type', code).setStatus({ code: SpanStatusCode.ERROR, message: code });
}

/** The id of the context's trace; undefined without tracing and without an incoming trace. */
export function traceIdOf(context: Context): string | undefined {
  const span = trace.getSpanContext(context);
  return span !== undefined && isSpanContextValid(span) ? span.traceId : undefined;
}
