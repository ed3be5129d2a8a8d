import {
  type Attributes,
  type Context,
  isSpanContextValid,
  type Link,
  type Span,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  trace,
} from '@opentelemetry/api';

const tracer = trace.getTracer('backflow');

/** A started span together with the context in which its children start. */
export interface Stage {
  readonly span: Span;
  readonly context: Context;
}

/** Starts the span of one stage of a change's way as a child of the stage before it. Never touches ambient context. */
export function startStage(
  name: string,
  parent: Context,
  options: {
    readonly attributes?: Attributes;
    readonly kind?: SpanKind;
    readonly links?: Link[];
    readonly startTime?: number;
  } = {},
): Stage {
  const passed = unsampledHere(parent);
  if (passed !== undefined) return { span: passed, context: parent };
  const { attributes } = options;
  const span = tracer.startSpan(
    name,
    {
      kind: options.kind ?? SpanKind.INTERNAL,
      ...(options.links === undefined ? {} : { links: options.links }),
      ...(options.startTime === undefined ? {} : { startTime: options.startTime }),
    },
    parent,
  );
  // Few spans are recorded; only for those the attributes are gone through.
  if (attributes !== undefined && span.isRecording()) span.setAttributes(attributes);
  return { span, context: trace.setSpan(parent, span) };
}

/**
 * The parent itself where it is a span of this process that is not recorded: its whole trace is not, so every stage below it can
 * be the same one. Samplers decide at the root or about what comes from elsewhere.
 */
function unsampledHere(parent: Context): Span | undefined {
  const span = trace.getSpan(parent);
  if (span === undefined || span.isRecording()) return undefined;
  const context = span.spanContext();
  const unsampled = (context.traceFlags & TraceFlags.SAMPLED) === 0;
  return unsampled && context.isRemote !== true && isSpanContextValid(context) ? span : undefined;
}

/** Ends a span as failed, with a description that holds neither secrets nor catalogue text. */
export function failStage(span: Span, message: string): void {
  span.setStatus({ code: SpanStatusCode.ERROR, message });
  span.end();
}

export function traceIdOf(context: Context): string | undefined {
  const spanContext = trace.getSpanContext(context);
  return spanContext !== undefined && isSpanContextValid(spanContext) ? spanContext.traceId : undefined;
}

/** The W3C traceparent of a span, for the trailing comment of a statement; undefined when tracing is off. */
export function traceparentOf(span: Span): string | undefined {
  const context = span.spanContext();
  if (!isSpanContextValid(context)) return undefined;
  return `00-${context.traceId}-${context.spanId}-${(context.traceFlags & 1) === 1 ? '01' : '00'}`;
}
