import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { context, ROOT_CONTEXT, trace } from '@opentelemetry/api';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTelemetry, type Telemetry, tracingRequested } from '../../src/telemetry/start.ts';
import { freePort } from '../support/free-port.ts';
import { type OtlpReceiver, startOtlpReceiver } from '../support/otlp-receiver.ts';

const PASSWORD = 'hunter2-never-shown';

describe('tracing with the official SDK', () => {
  let receiver: OtlpReceiver;
  let telemetry: Telemetry;

  beforeAll(async () => {
    receiver = await startOtlpReceiver();
    process.env.OTEL_EXPORTER_OTLP_ENDPOINT = receiver.url;
    process.env.OTEL_BSP_SCHEDULE_DELAY = '50';
    telemetry = await startTelemetry();
  });

  afterAll(async () => {
    await telemetry.shutdown();
    await receiver.stop();
  });

  it('sends spans in protobuf, the default, under the name of the service and without the command line', async () => {
    const tracer = trace.getTracer('test');
    const parent = tracer.startSpan(
      'parent',
      { attributes: { n: 7, yes: true, ratio: 0.5, list: ['a', 'b'] } },
      ROOT_CONTEXT,
    );
    const child = tracer.startSpan('child', {}, trace.setSpan(ROOT_CONTEXT, parent));
    child.recordException(new Error('broken'));
    child.end();
    parent.end();
    await telemetry.flush();
    const spans = await receiver.waitFor((all) => all.some((span) => span.name === 'parent'));
    const received = spans.find((span) => span.name === 'parent');
    expect(received).toMatchObject({
      traceId: parent.spanContext().traceId,
      attributes: { n: 7, yes: true, ratio: 0.5, list: ['a', 'b'] },
      resource: { 'service.name': 'backflow' },
      scope: 'test',
    });
    expect(received).not.toHaveProperty('parentSpanId');
    expect(spans.find((span) => span.name === 'child')).toMatchObject({
      parentSpanId: parent.spanContext().spanId,
      events: [{ name: 'exception', attributes: { 'exception.message': 'broken' } }],
    });
    expect(JSON.stringify(received?.resource)).not.toContain('command');
  });

  it('P10 gives the drivers’ own spans, below ours, and with no password in them', async () => {
    const port = await freePort();
    const require = createRequire(import.meta.url);
    const pg: typeof import('pg') = require('pg');
    const mysql: typeof import('mysql2') = require('mysql2');
    const span = trace.getTracer('test').startSpan('write', {}, ROOT_CONTEXT);
    const pool = new pg.Pool({ connectionString: `postgres://bob:${PASSWORD}@127.0.0.1:${port}/shop` });

    await context.with(trace.setSpan(ROOT_CONTEXT, span), async () => {
      await expect(pool.query('SELECT 1')).rejects.toThrow('ECONNREFUSED');
      const failure = await new Promise((resolve) => {
        mysql
          .createConnection({ host: '127.0.0.1', port, user: 'bob', password: PASSWORD })
          .query('SELECT 2', (error) => resolve(error));
      });
      expect(failure).toMatchObject({ code: 'ECONNREFUSED' });
    });
    span.end();
    await pool.end();
    await telemetry.flush();
    const spans = await receiver.waitFor((all) => all.some((one) => one.name === 'write'));
    const below = spans.filter((one) => one.traceId === span.spanContext().traceId && one.name !== 'write');
    expect(below.map((one) => one.attributes['db.system.name'] ?? one.attributes['db.system'])).toEqual(
      expect.arrayContaining(['postgresql', 'mysql']),
    );
    expect(JSON.stringify(spans)).not.toContain(PASSWORD);
  });
});

describe('what the variables ask for beyond spans over OTLP', () => {
  it('is given by the whole SDK: here spans on the console', async () => {
    const start = new URL('../../src/telemetry/start.ts', import.meta.url).href;
    const program = `
      import { trace } from '@opentelemetry/api';
      import { startTelemetry } from ${JSON.stringify(start)};
      const telemetry = await startTelemetry(process.env);
      trace.getTracer('test').startSpan('on the console').end();
      await telemetry.shutdown();
    `;
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program], {
      cwd: fileURLToPath(new URL('../..', import.meta.url)),
      env: { ...process.env, OTEL_TRACES_EXPORTER: 'console', OTEL_EXPORTER_OTLP_ENDPOINT: '' },
    });
    expect(stdout).toMatch(/name: 'on the console'/);
    expect(stdout).toMatch(/'service.name': 'backflow'/);
  });
});

describe('tracingRequested', () => {
  it.each([
    [{}, false],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' }, true],
    [{ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://collector:4318/v1/traces' }, true],
    [{ OTEL_TRACES_EXPORTER: 'console' }, true],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318', OTEL_TRACES_EXPORTER: 'none' }, false],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318', OTEL_SDK_DISABLED: 'true' }, false],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: ' ' }, false],
  ])('%j → %s', (env, expected) => {
    expect(tracingRequested(env)).toBe(expected);
  });

  it('loads nothing when it is off', async () => {
    const off = await startTelemetry({});
    expect(off.enabled).toBe(false);
    await off.flush();
    await off.shutdown();
  });
});
