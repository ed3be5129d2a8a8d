import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { context, ROOT_CONTEXT, SpanKind, trace } from '@opentelemetry/api';
import { injectTrace } from '../../streams/nats/trace-headers.ts';
import { sign } from '../intake/signature.ts';
import { type Run, readRuns } from '../service/history.ts';
import { type Service, startService } from '../service.ts';
import type { Log } from '../telemetry/log.ts';
import { demoConfig } from './demo-config.ts';
import type { DemoReport, DemoRow, SkippedPart } from './demo-report.ts';
import { ensureProgram, MARIADB_SERVER, NATS_SERVER, type ProgramState } from './ensure-program.ts';
import { startMariadb } from './mariadb-server.ts';
import { startPostgres } from './postgres-server.ts';
import { SampleCatalogue } from './sample-catalogue.ts';
import { type DemoChange, mariadbChanges, postgresChanges } from './sample-changes.ts';
import { createSampleMariadb, createSamplePostgres } from './sample-databases.ts';

export interface DemoOptions {
  readonly natsUrl?: string;
  readonly http: { readonly host: string; readonly port: number };
  readonly log: Log;
  /** Progress for the person who waits. */
  readonly say: (line: string) => void;
}

/** A demo whose changes have been through; it stays up until it is stopped. */
export interface RunningDemo {
  readonly report: DemoReport;
  readonly url: string;
  readonly natsUrl: string;
  readonly postgresUrl: string | undefined;
  stop(): Promise<void>;
}

/** How long the changes may take to get their outcomes, milliseconds. */
const OUTCOME_TIMEOUT_MS = 60_000;

/** Starts the databases and a service, sends the sample changes through the signed webhook, and looks at what became of them. */
export async function runDemo(options: DemoOptions): Promise<RunningDemo> {
  const closing: (() => Promise<unknown>)[] = [];
  const stop = async (): Promise<void> => {
    for (const close of closing.splice(0).reverse()) await close().catch(() => undefined);
  };
  try {
    return await run(options, closing, stop);
  } catch (error) {
    await stop();
    throw error;
  }
}

async function run(
  options: DemoOptions,
  closing: (() => Promise<unknown>)[],
  stop: () => Promise<void>,
): Promise<RunningDemo> {
  const { say } = options;
  const skipped: SkippedPart[] = [];
  const folder = await mkdtemp(join(tmpdir(), 'backflow-demo-'));
  closing.push(() => rm(folder, { recursive: true, force: true }));
  if (options.natsUrl === undefined) {
    const nats = await ensureProgram(NATS_SERVER, say);
    if (nats.kind === 'missing') {
      return {
        report: { ok: false, changes: [], skipped: [skip('everything', nats)] },
        url: '',
        natsUrl: '',
        postgresUrl: undefined,
        stop,
      };
    }
  }

  const catalogue = new SampleCatalogue();
  const changes: DemoChange[] = [];
  say('starting PostgreSQL …');
  const postgres = await startPostgres();
  closing.push(() => postgres.stop());
  const samplePostgres = await createSamplePostgres(postgres);
  closing.push(() => samplePostgres.close());
  changes.push(...postgresChanges(catalogue, samplePostgres));

  const mariadb = await startSampleMariadb(say, skipped, closing);
  if (mariadb !== undefined) changes.push(...mariadbChanges(catalogue, mariadb.sample));

  // Secrets reach the configuration as references, as they should in earnest.
  process.env.BACKFLOW_DEMO_POSTGRES_PASSWORD = postgres.password;
  if (mariadb !== undefined) process.env.BACKFLOW_DEMO_MARIADB_PASSWORD = mariadb.server.password;
  const configPath = join(folder, 'backflow.yaml');
  await writeFile(configPath, demoConfig(postgres, mariadb?.server));
  const secret = randomBytes(24).toString('base64url');
  say('starting Backflow …');
  const service = await startService({
    ...(options.natsUrl === undefined ? {} : { natsUrl: options.natsUrl }),
    dataDir: join(folder, 'data'),
    http: options.http,
    configPath,
    webhookSecrets: [secret],
    allowUnsigned: false,
    log: options.log,
  });
  closing.push(() => service.stop());
  await lanesRunning(service);

  say(`sending ${changes.length} change events through the signed webhook …`);
  const answers: string[] = [];
  for (const change of changes) answers.push(await send(service.url, change.event.body, secret));
  const rows = await collect(service, changes, answers);
  return {
    report: { ok: rows.length > 0 && rows.every((row) => row.verified), changes: rows, skipped },
    url: service.url,
    natsUrl: service.natsUrl,
    postgresUrl: postgres.url('shop'),
    stop,
  };
}

async function startSampleMariadb(
  say: (line: string) => void,
  skipped: SkippedPart[],
  closing: (() => Promise<unknown>)[],
) {
  const state = await ensureProgram(MARIADB_SERVER, say);
  if (state.kind === 'missing') {
    skipped.push(skip('MariaDB', state));
    return undefined;
  }
  say('starting MariaDB …');
  const server = await startMariadb();
  closing.push(() => server.stop());
  const sample = await createSampleMariadb(server);
  closing.push(() => sample.close());
  return { server, sample };
}

function skip(part: string, state: ProgramState & { kind: 'missing' }): SkippedPart {
  return { part, reason: `${state.name} is missing: ${state.reason}`, command: state.command };
}

async function lanesRunning(service: Service): Promise<void> {
  const deadline = Date.now() + 30_000;
  while (Date.now() < deadline) {
    const lanes = await service.lanes.rows();
    if (lanes.length > 0 && lanes.every((lane) => lane.phase === 'running')) return;
    await delay(50);
  }
  throw new Error('the lanes did not start within 30 s');
}

/** Posts one event as OpenMetadata would, under a span that stands for the edit in the catalogue. Gives intake's word for it. */
async function send(url: string, body: string, secret: string): Promise<string> {
  const span = trace
    .getTracer('backflow-demo')
    .startSpan('edit in the catalogue', { kind: SpanKind.CLIENT }, ROOT_CONTEXT);
  try {
    const response = await fetch(`${url}/ingest/openmetadata`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-om-signature': sign(body, secret),
        ...injectTrace(trace.setSpan(ROOT_CONTEXT, span)),
      },
      body,
    });
    if (!response.ok) throw new Error(`the webhook answered ${response.status}: ${await response.text()}`);
    const answer: unknown = await response.json();
    const items =
      typeof answer === 'object' && answer !== null && 'items' in answer && Array.isArray(answer.items)
        ? answer.items
        : [];
    const first: unknown = items[0];
    return typeof first === 'object' && first !== null && 'result' in first ? String(first.result) : '';
  } finally {
    context.with(ROOT_CONTEXT, () => span.end());
  }
}

/** Waits until every change has its outcome, then asks the sources. */
async function collect(
  service: Service,
  changes: readonly DemoChange[],
  answers: readonly string[],
): Promise<DemoRow[]> {
  const wanted = new Set(changes.map((change) => change.event.id));
  const deadline = Date.now() + OUTCOME_TIMEOUT_MS;
  let runs: readonly Run[] = [];
  while (Date.now() < deadline) {
    runs = await readRuns(service.link, { limit: 1_000 });
    const seen = new Set(runs.map((run) => run.eventId));
    if ([...wanted].every((id) => seen.has(id))) break;
    await delay(100);
  }
  const rows: DemoRow[] = [];
  for (const [index, change] of changes.entries()) {
    const value = await change.probe();
    rows.push(rowOf(change, answers[index] ?? '', runs, value));
  }
  return rows;
}

function rowOf(change: DemoChange, answer: string, runs: readonly Run[], value: string | undefined): DemoRow {
  const own = runs.filter((run) => run.eventId === change.event.id && run.target === change.service);
  // A copy within the stream's duplicate window is dropped by the stream itself: it has no outcome beside that of the first.
  const run =
    answer === 'duplicate'
      ? undefined
      : (own.find((one) => one.status === 'applied') ??
        own.find((one) => one.status === change.expected.status) ??
        own[0]);
  const status = answer === 'duplicate' ? 'superseded' : (run?.status ?? 'no outcome');
  const reason = answer === 'duplicate' ? 'duplicate: the stream knows this event id already' : run?.reason;
  return {
    eventId: change.event.id,
    service: change.service,
    asset: change.asset,
    aspect: change.aspect,
    status,
    ...(reason === undefined ? {} : { reason }),
    statements: run?.statements ?? [],
    value: value ?? null,
    verified: status === change.expected.status && value === change.expected.value,
    shows: change.shows,
  };
}
