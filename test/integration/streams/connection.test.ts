import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { context, propagation, ROOT_CONTEXT, trace } from '@opentelemetry/api';
import { NodeTracerProvider } from '@opentelemetry/sdk-trace-node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connectNats, type LinkEvent } from '../../../streams/nats/connection.ts';
import { startEmbeddedServer } from '../../../streams/nats/embedded-server.ts';
import { createPublisher } from '../../../streams/nats/publisher.ts';
import { getLast } from '../../../streams/nats/stored-messages.ts';
import { extractTrace, injectTrace } from '../../../streams/nats/trace-headers.ts';
import { startNatsServer } from '../../support/nats-server.ts';
import { type Fixture, startFixture, until } from './fixture.ts';

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startFixture();
});
afterAll(() => fixture.stop());

describe('connectNats', () => {
  it('survives the server going away, and tells', async () => {
    const link = await fixture.connect();
    const events: LinkEvent['type'][] = [];
    link.events.subscribe((event) => events.push(event.type));
    await fixture.server.kill();
    await until(() => !link.connected(), 'the loss is noticed');
    await expect(link.flush()).rejects.toMatchObject({ class: expect.stringMatching(/transient|invalid/) });
    await fixture.server.restart();
    await until(() => link.connected(), 'it is back');
    await link.flush();
    expect(events).toEqual(expect.arrayContaining(['disconnected', 'reconnecting', 'reconnected']));
    await link.close();
    expect(events.at(-1)).toBe('closed');
    await expect(link.flush()).rejects.toMatchObject({ code: 'closed' });
  });

  it('closes and drains without hanging, also while the server is away', async () => {
    const [first, second] = [await fixture.connect(), await fixture.connect()];
    first.nc.subscribe('nobody.iterates');
    second.nc.subscribe('nobody.iterates.either');
    await fixture.server.kill();
    await until(() => !first.connected() && !second.connected(), 'the loss is noticed');
    await first.close();
    await second.drain(100);
    expect(await Promise.all([first.closed, second.closed])).toHaveLength(2);
    await fixture.server.restart();
    await until(() => fixture.link.connected(), 'the other link is back');
  });

  it('says where it could not connect', async () => {
    await expect(
      connectNats({ servers: 'nats://user:s3cret@127.0.0.1:1', name: 't', connectTimeoutMs: 500 }),
    ).rejects.toSatisfy((error: unknown) => {
      const all = `${String(error)} ${JSON.stringify(error)}`;
      return all.includes('127.0.0.1:1') && !all.includes('s3cret') && !all.includes('user');
    });
  });

  it('waits for the first connection when told to', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'backflow-nats-'));
    const early = await startNatsServer({ dir });
    await early.shutdown();
    const connecting = connectNats({ servers: early.url, name: 't', waitOnFirstConnect: true, reconnectWaitMs: 20 });
    await early.restart();
    const link = await connecting;
    expect(link.connected()).toBe(true);
    await link.close();
    await early.stop();
    rmSync(dir, { recursive: true });
  });

  it('P10 logs in with what stands in the URL, and never shows it', async () => {
    const secured = await startNatsServer({ config: 'authorization { user: backflow, password: "p@ss/wörd" }' });
    const url = (password: string) => `nats://backflow:${encodeURIComponent(password)}@127.0.0.1:${secured.port}`;
    const link = await connectNats({ servers: url('p@ss/wörd'), name: 't' });
    await link.flush();
    await link.close();
    const refusal = await connectNats({ servers: url('wrong-secret'), name: 't' }).catch((error: unknown) => error);
    expect(refusal).toMatchObject({ code: 'not-authorized', class: 'auth' });
    expect(`${String(refusal)} ${JSON.stringify(refusal)}`).not.toContain('wrong-secret');
    await secured.stop();
  });
});

describe('the embedded server', () => {
  it('keeps its data, and refuses a second server on it', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'backflow-nats-'));
    const first = await startEmbeddedServer({ dir });
    const link = await connectNats({ servers: first.url, name: 't' });
    await link.jsm.streams.add({ name: 'KEPT', subjects: ['kept'] });
    await link.js.publish('kept', 'x');
    await link.close();
    await expect(startEmbeddedServer({ dir })).rejects.toMatchObject({
      code: 'data-in-use',
      message: expect.stringContaining(String(first.pid)),
    });
    await first.stop();
    await first.stop();
    const second = await startEmbeddedServer({ dir });
    const again = await connectNats({ servers: second.url, name: 't' });
    expect((await again.jsm.streams.info('KEPT')).state.messages).toBe(1);
    await again.close();
    await second.kill();
    // A killed server leaves its pid file behind, which must not lock the folder.
    expect(readFileSync(join(dir, 'nats-server.pid'), 'utf8')).toBe(String(second.pid));
    const third = await startEmbeddedServer({ dir });
    await third.stop();
    rmSync(dir, { recursive: true });
  });

  it('ends a server that a killed process left behind on the same data', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'backflow-nats-'));
    const left = await startEmbeddedServer({ dir });
    const gone = spawnSync(process.execPath, ['-e', '']).pid;
    writeFileSync(join(dir, 'owner.pid'), String(gone));
    const next = await startEmbeddedServer({ dir });
    await left.exited;
    expect(next.pid).not.toBe(left.pid);
    const link = await connectNats({ servers: next.url, name: 't' });
    await link.flush();
    await link.close();
    await next.stop();
    rmSync(dir, { recursive: true });
  });

  it('says why it did not start', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'backflow-nats-'));
    await expect(startEmbeddedServer({ dir, port: fixture.server.port })).rejects.toMatchObject({
      code: 'server-failed',
      message: expect.stringMatching(/nats-server\.log.*address already in use/),
    });
    writeFileSync(join(dir, 'not-a-server'), '');
    await expect(startEmbeddedServer({ dir, binary: join(dir, 'not-a-server') })).rejects.toMatchObject({
      code: 'server-failed',
    });
    rmSync(dir, { recursive: true });
  });
});

describe('trace headers', () => {
  it('carry a span over NATS in lower case', async () => {
    const provider = new NodeTracerProvider();
    provider.register();
    const span = provider.getTracer('t').startSpan('publish');
    const headers = injectTrace(trace.setSpan(ROOT_CONTEXT, span));
    expect(Object.keys(headers)).toEqual(['traceparent']);
    const publisher = createPublisher(fixture.link, { maxMessages: 1, maxBytes: 1_000 });
    await publisher.publish('change.trace.0.table.k', '', { headers });
    const stored = await getLast(fixture.link, 'CHANGES', 'change.trace.0.table.k');
    const found = trace.getSpanContext(extractTrace(stored?.headers ?? {}, ROOT_CONTEXT));
    expect(found).toMatchObject({ traceId: span.spanContext().traceId, spanId: span.spanContext().spanId });
    // Another publisher's spelling is understood as well.
    const other = extractTrace({ Traceparent: headers.traceparent ?? '' }, ROOT_CONTEXT);
    expect(trace.getSpanContext(other)?.traceId).toBe(span.spanContext().traceId);
    span.end();
    await provider.shutdown();
    propagation.disable();
    context.disable();
    trace.disable();
    expect(injectTrace(ROOT_CONTEXT)).toEqual({});
  });
});
