import {
  type Context,
  createTraceState,
  isSpanContextValid,
  type TextMapGetter,
  type TextMapPropagator,
  type TextMapSetter,
  trace,
} from '@opentelemetry/api';

/** Version, trace id, span id and flags; only versions after 00 may have more. */
const TRACEPARENT = /^(?!ff)([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;

/**
 * W3C trace context (www.w3.org/TR/trace-context), the one form in which context travels in our messages. It needs nothing of the
 * SDK, so a trace passes through the service also while the service itself records none.
 */
export const W3C_PROPAGATOR: TextMapPropagator = {
  fields: () => ['traceparent', 'tracestate'],

  inject: (context: Context, carrier: unknown, setter: TextMapSetter): void => {
    const span = trace.getSpanContext(context);
    if (span === undefined || !isSpanContextValid(span)) return;
    const flags = (span.traceFlags & 0xff).toString(16).padStart(2, '0');
    setter.set(carrier, 'traceparent', `00-${span.traceId}-${span.spanId}-${flags}`);
    const state = span.traceState?.serialize();
    if (state) setter.set(carrier, 'tracestate', state);
  },

  extract: (context: Context, carrier: unknown, getter: TextMapGetter): Context => {
    const match = TRACEPARENT.exec(textOf(getter.get(carrier, 'traceparent'))?.trim() ?? '');
    const [, version, traceId, spanId, flags, more] = match ?? [];
    if (traceId === undefined || spanId === undefined || flags === undefined) return context;
    if (version === '00' && more !== undefined) return context;
    const span = { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true };
    if (!isSpanContextValid(span)) return context;
    const state = textOf(getter.get(carrier, 'tracestate'));
    return trace.setSpanContext(context, state ? { ...span, traceState: createTraceState(state) } : span);
  },
};

/** Several headers of one name are one list. */
function textOf(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value.join(',') : value;
}
