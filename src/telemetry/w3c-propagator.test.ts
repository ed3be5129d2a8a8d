import { defaultTextMapGetter, defaultTextMapSetter, ROOT_CONTEXT, trace } from '@opentelemetry/api';
import { describe, expect, it } from 'vitest';
import { W3C_PROPAGATOR } from './w3c-propagator.ts';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const SPAN = 'b7ad6b7169203331';

function through(headers: Record<string, string>): Record<string, string> {
  const out: Record<string, string> = {};
  W3C_PROPAGATOR.inject(W3C_PROPAGATOR.extract(ROOT_CONTEXT, headers, defaultTextMapGetter), out, defaultTextMapSetter);
  return out;
}

describe('W3C_PROPAGATOR', () => {
  it('reads and writes the same trace, its flags and its state', () => {
    const headers = { traceparent: `00-${TRACE}-${SPAN}-01`, tracestate: 'vendor=a,other=b' };
    expect(through(headers)).toEqual(headers);
    expect(through({ traceparent: `00-${TRACE}-${SPAN}-00` })).toEqual({ traceparent: `00-${TRACE}-${SPAN}-00` });
  });

  it('marks what it read as remote', () => {
    const context = W3C_PROPAGATOR.extract(
      ROOT_CONTEXT,
      { traceparent: `00-${TRACE}-${SPAN}-01` },
      defaultTextMapGetter,
    );
    expect(trace.getSpanContext(context)).toMatchObject({
      traceId: TRACE,
      spanId: SPAN,
      isRemote: true,
      traceFlags: 1,
    });
  });

  it('reads later versions as far as it knows them', () => {
    expect(through({ traceparent: `01-${TRACE}-${SPAN}-01-more` })).toEqual({ traceparent: `00-${TRACE}-${SPAN}-01` });
  });

  it.each([
    '',
    'garbage',
    `00-${TRACE}-${SPAN}`,
    `ff-${TRACE}-${SPAN}-01`,
    `00-${TRACE}-${SPAN}-01-more`,
    `00-${'0'.repeat(32)}-${SPAN}-01`,
    `00-${TRACE}-${'0'.repeat(16)}-01`,
    `00-${TRACE.toUpperCase()}-${SPAN}-01`,
    `00-${TRACE}-${SPAN}-01\r\nx: y`,
  ])('takes no context from %j', (traceparent) => {
    expect(through({ traceparent })).toEqual({});
  });
});
