import { describe, expect, it } from 'vitest';
import type { ReceivedSpan } from '../support/otlp-span.ts';
import { belowOrLinked, chainOf, traceProblems } from '../support/trace-chain.ts';

const span = (name: string, parentSpanId: string | undefined, changes: Partial<ReceivedSpan> = {}): ReceivedSpan => ({
  traceId: 't',
  spanId: name,
  ...(parentSpanId === undefined ? {} : { parentSpanId }),
  name,
  kind: 1,
  start: '10',
  end: '20',
  attributes: {},
  links: [],
  events: [],
  status: { code: 0, message: '' },
  scope: '',
  resource: {},
  ...changes,
});

describe('the checks on received traces', () => {
  const good = [span('intake', undefined), span('publish', 'intake'), span('write', 'publish', { start: '11' })];

  it('find nothing wrong with a whole trace, begun here or coming in', () => {
    expect(traceProblems(good, { traceId: 't' })).toEqual([]);
    const incoming = [span('intake', 'sender'), ...good.slice(1)];
    expect(traceProblems(incoming, { traceId: 't', incomingSpanId: 'sender' })).toEqual([]);
  });

  it.each([
    ['a parent that is missing', [span('intake', undefined), span('write', 'lost')], 'parent of write is missing'],
    ['two roots', [span('intake', undefined), span('process', undefined)], '2 roots: intake, process'],
    ['no root', [span('a', 'b'), span('b', 'a')], '0 roots'],
    [
      'a child that starts first',
      [span('intake', undefined), span('write', 'intake', { start: '9' })],
      'write starts before',
    ],
    ['nothing at all', [], '0 roots'],
  ])('find %s', (_what, spans, problem) => {
    expect(traceProblems(spans, { traceId: 't' }).join('; ')).toContain(problem);
  });

  it('give the names from the root to a span, and what stands below it or its batch', () => {
    const driver = span('pg.query', 'batch', { traceId: 'other' });
    const write = span('write', 'publish', { links: [{ traceId: 'other', spanId: 'batch' }] });
    expect(chainOf(good, good[2] ?? write)).toEqual(['intake', 'publish', 'write']);
    expect(belowOrLinked([...good, driver], write)).toEqual([driver]);
  });
});
