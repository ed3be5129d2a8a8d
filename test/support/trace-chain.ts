import type { ReceivedSpan } from './otlp-span.ts';

export interface TraceCheck {
  readonly traceId: string;
  /** Span of the sender that the trace came in with; it is not among the received ones. Absent: the trace began here. */
  readonly incomingSpanId?: string;
}

/** What is wrong with a trace as a tree: no root or several, parents that were never received, children older than their parent. */
export function traceProblems(
  spans: readonly ReceivedSpan[],
  { traceId, incomingSpanId }: TraceCheck,
): readonly string[] {
  const own = spans.filter((span) => span.traceId === traceId);
  const byId = new Map(own.map((span) => [span.spanId, span]));
  const isRoot = (span: ReceivedSpan) => span.parentSpanId === incomingSpanId;
  const roots = own.filter(isRoot);
  const problems =
    roots.length === 1 ? [] : [`${roots.length} roots: ${roots.map((span) => span.name).join(', ') || 'none'}`];
  for (const span of own) {
    if (isRoot(span)) continue;
    const parent = byId.get(span.parentSpanId ?? '');
    if (parent === undefined)
      problems.push(`the parent of ${span.name} is missing (${span.parentSpanId ?? 'it has none'})`);
    else if (BigInt(span.start) < BigInt(parent.start))
      problems.push(`${span.name} starts before its parent ${parent.name}`);
  }
  return problems;
}

/** Names from the root of its trace down to a span; ends where a parent was not received. */
export function chainOf(spans: readonly ReceivedSpan[], leaf: ReceivedSpan): readonly string[] {
  const byId = new Map(spans.filter((span) => span.traceId === leaf.traceId).map((span) => [span.spanId, span]));
  const names: string[] = [];
  for (let span: ReceivedSpan | undefined = leaf; span !== undefined; span = byId.get(span.parentSpanId ?? '')) {
    names.unshift(span.name);
    byId.delete(span.spanId);
  }
  return names;
}

/** The spans that stand below a span, or below one that it links to (a batch that it was part of). */
export function belowOrLinked(spans: readonly ReceivedSpan[], span: ReceivedSpan): readonly ReceivedSpan[] {
  const parents = [{ traceId: span.traceId, spanId: span.spanId }, ...span.links];
  return spans.filter((one) =>
    parents.some((parent) => parent.traceId === one.traceId && parent.spanId === one.parentSpanId),
  );
}
