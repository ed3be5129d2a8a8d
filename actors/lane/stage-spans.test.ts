import { ROOT_CONTEXT, type SpanContext, TraceFlags, trace } from '@opentelemetry/api';
import {
  AlwaysOnSampler,
  InMemorySpanExporter,
  NodeTracerProvider,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startStage, traceparentOf } from './stage-spans.ts';

const spans = new InMemorySpanExporter();
const provider = new NodeTracerProvider({
  sampler: new AlwaysOnSampler(),
  spanProcessors: [new SimpleSpanProcessor(spans)],
});
const parent = (more: Partial<SpanContext>) =>
  trace.setSpanContext(ROOT_CONTEXT, {
    traceId: '0af7651916cd43dd8448eb211c80319c',
    spanId: 'b7ad6b7169203331',
    traceFlags: TraceFlags.NONE,
    ...more,
  });

beforeAll(() => provider.register());
afterAll(() => provider.shutdown());

describe('startStage', () => {
  it('passes on an unrecorded span of this process, so that its trace costs nothing', () => {
    const { span, context } = startStage('match', parent({}));
    expect(traceparentOf(span)).toBe('00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00');
    expect(trace.getSpan(context)).toBe(span);
    span.end();
    expect(spans.getFinishedSpans()).toEqual([]);
  });

  it.each([
    ['what comes from elsewhere', parent({ isRemote: true })],
    ['a sampled parent', parent({ traceFlags: TraceFlags.SAMPLED })],
    ['no parent', ROOT_CONTEXT],
    ['an invalid parent', parent({ traceId: '00000000000000000000000000000000' })],
  ])('asks the sampler about %s', (_, context) => {
    spans.reset();
    const stage = startStage('match', context);
    stage.span.end();
    expect(spans.getFinishedSpans().map(({ name }) => name)).toEqual(['match']);
  });
});
