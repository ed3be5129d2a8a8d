import { z } from 'zod';
import type { ReceivedSpan } from './otlp-span.ts';

const keyValues = z
  .array(z.object({ key: z.string(), value: z.record(z.string(), z.unknown()).optional() }))
  .default([]);
const decimal = z.union([z.string(), z.number()]).transform(String);

const request = z.object({
  resourceSpans: z
    .array(
      z.object({
        resource: z.object({ attributes: keyValues }).optional(),
        scopeSpans: z
          .array(
            z.object({
              scope: z.object({ name: z.string().default('') }).optional(),
              spans: z.array(
                z.object({
                  traceId: z.string(),
                  spanId: z.string(),
                  parentSpanId: z.string().optional(),
                  name: z.string(),
                  kind: z.number().default(0),
                  startTimeUnixNano: decimal,
                  endTimeUnixNano: decimal,
                  attributes: keyValues,
                  events: z.array(z.object({ name: z.string(), attributes: keyValues })).default([]),
                  links: z.array(z.object({ traceId: z.string(), spanId: z.string() })).default([]),
                  status: z.object({ code: z.number().default(0), message: z.string().default('') }).optional(),
                }),
              ),
            }),
          )
          .default([]),
      }),
    )
    .default([]),
});

/** Decodes an ExportTraceServiceRequest in OTLP's JSON form. */
export function decodeJsonTraces(body: string): readonly ReceivedSpan[] {
  return request.parse(JSON.parse(body)).resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ scope, spans }) =>
      spans.map((span) => ({
        traceId: span.traceId,
        spanId: span.spanId,
        ...(span.parentSpanId ? { parentSpanId: span.parentSpanId } : {}),
        name: span.name,
        kind: span.kind,
        start: span.startTimeUnixNano,
        end: span.endTimeUnixNano,
        attributes: plain(span.attributes),
        events: span.events.map((event) => ({ name: event.name, attributes: plain(event.attributes) })),
        links: span.links.map((link) => ({ traceId: link.traceId, spanId: link.spanId })),
        status: span.status ?? { code: 0, message: '' },
        scope: scope?.name ?? '',
        resource: plain(resource?.attributes ?? []),
      })),
    ),
  );
}

function plain(attributes: z.infer<typeof keyValues>): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, value === undefined ? null : anyValue(value)]));
}

const list = z.object({ values: z.array(z.record(z.string(), z.unknown())).default([]) });

/** An AnyValue is an object with one member that names the type; 64-bit integers may come as text. */
function anyValue(value: Readonly<Record<string, unknown>>): unknown {
  const [kind, inner] = Object.entries(value)[0] ?? [];
  if (kind === 'intValue') return Number(inner);
  if (kind === 'arrayValue') return list.parse(inner).values.map(anyValue);
  if (kind === 'kvlistValue') return plain(z.object({ values: keyValues }).parse(inner).values);
  return inner;
}
