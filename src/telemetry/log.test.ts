import { ROOT_CONTEXT, trace } from '@opentelemetry/api';
import { describe, expect, it } from 'vitest';
import { createLog } from './log.ts';

function captured() {
  const lines: string[] = [];
  return { lines, destination: { write: (line: string) => void lines.push(line) } };
}

describe('createLog', () => {
  it('writes one JSON line with time, level, message and fields', () => {
    const { lines, destination } = captured();
    createLog({ destination }).with({ target: 'pg' }).warn({ lag: 3 }, 'lane is behind');
    expect(lines).toHaveLength(1);
    expect(JSON.parse(lines[0] ?? '')).toEqual({
      level: 'warn',
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      target: 'pg',
      lag: 3,
      msg: 'lane is behind',
    });
  });

  it('carries the ids of the span in a given context, and none without one', () => {
    const { lines, destination } = captured();
    const log = createLog({ destination });
    const span = { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331', traceFlags: 1 };
    log.in(trace.setSpanContext(ROOT_CONTEXT, span)).info({}, 'inside');
    log.in(ROOT_CONTEXT).info({}, 'outside');
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ trace_id: span.traceId, span_id: span.spanId });
    expect(JSON.parse(lines[1] ?? '')).not.toHaveProperty('trace_id');
  });

  it('never shows a secret, whether as a field, in a URL or on an error', () => {
    const { lines, destination } = captured();
    const log = createLog({ destination });
    log.error(
      { err: Object.assign(new Error('nats://u:hunter2@h'), { password: 'hunter2' }), password: 'hunter2' },
      'x://a:hunter2@b',
    );
    expect(lines.join('')).not.toContain('hunter2');
  });

  it('says nothing below its level', () => {
    const { lines, destination } = captured();
    createLog({ destination, level: 'warn' }).info({}, 'quiet');
    expect(lines).toEqual([]);
  });
});
