import { type Context, propagation, type TextMapGetter } from '@opentelemetry/api';
import type { MessageHeaders } from './contract.ts';

/** The W3C headers that travel with a message, exactly in lower case: names are case-sensitive in NATS. */
const TRACE_HEADERS = ['traceparent', 'tracestate'] as const;

/** Headers that carry the context's span; none when tracing is off. */
export function injectTrace(context: Context): MessageHeaders {
  const carrier: Record<string, string> = {};
  propagation.inject(context, carrier, {
    set: (target, name, value) => {
      target[name.toLowerCase()] = value;
    },
  });
  return Object.fromEntries(Object.entries(carrier).filter(([name]) => TRACE_HEADERS.some((ours) => ours === name)));
}

/** The context that a message's headers carry, on top of `base`; other publishers may write the names in any case. */
export function extractTrace(headers: MessageHeaders, base: Context): Context {
  return propagation.extract(base, headers, getter);
}

const getter: TextMapGetter<MessageHeaders> = {
  keys: (carrier) => Object.keys(carrier).map((name) => name.toLowerCase()),
  get: (carrier, name) => {
    const wanted = name.toLowerCase();
    if (!TRACE_HEADERS.some((ours) => ours === wanted)) return undefined;
    const exact = carrier[wanted];
    if (exact !== undefined) return exact;
    for (const key in carrier) if (key.length === wanted.length && key.toLowerCase() === wanted) return carrier[key];
    return undefined;
  },
};
