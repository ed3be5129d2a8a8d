import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { AckPolicy, DeliverPolicy } from '@nats-io/jetstream';
import { connectNats, type NatsLink } from '../../streams/nats/connection.ts';
import { createPublisher } from '../../streams/nats/publisher.ts';
import { ensureTopology } from '../../streams/nats/topology.ts';
import { startNatsServer } from '../support/nats-server.ts';
import type { PostgresServer } from '../support/postgres-server.ts';
import { clearComments, staleFinals, startBenchPostgres } from './bench-database.ts';
import { benchEvents, DATABASE, finalTexts, SERVICE, type Workload } from './bench-events.ts';
import { findBento } from './peers/bento.ts';
import { startVariant } from './variant-process.ts';

interface Case {
  readonly name: string;
  readonly workload: Workload;
}

const CASES: readonly Case[] = [
  { name: 'postgres-200', workload: { assets: 200, events: 60_000, bytes: 2_700 } },
  { name: 'postgres-20000', workload: { assets: 20_000, events: 40_000, bytes: 2_700 } },
  { name: 'postgres-200-60kb', workload: { assets: 200, events: 2_000, bytes: 60_000 } },
];

interface Measured {
  readonly case: string;
  readonly variant: string;
  readonly changesPerSecond: number;
  readonly staleFinals: number;
  readonly cpuSeconds: number;
  readonly rssMiB: number;
  readonly p50Ms: null;
  readonly p99Ms: null;
}

interface Variant {
  readonly name: string;
  /** The durable consumer that it reads with; it exists before the events do. */
  readonly durable: string;
  start(surroundings: Surroundings): ReturnType<typeof startVariant>;
}

interface Surroundings {
  readonly natsUrl: string;
  readonly postgres: PostgresServer;
  readonly folder: string;
}

const script = (name: string): string => new URL(`./variants/${name}.ts`, import.meta.url).pathname;

const environment = ({ natsUrl, postgres, folder }: Surroundings): Record<string, string> => ({
  BENCH_NATS: natsUrl,
  BENCH_POSTGRES: postgres.url(DATABASE),
  BENCH_DATA: join(folder, 'data'),
  BENCH_CONFIG: join(folder, 'backflow.yaml'),
  BENCH_PASSWORD: postgres.password,
});

function nodeVariant(
  name: string,
  durable: string,
  env: Readonly<Record<string, string>> = {},
  flags: readonly string[] = [],
): Variant {
  return {
    name,
    durable,
    start: (around) => startVariant(process.execPath, [...flags, script(name)], { ...environment(around), ...env }),
  };
}

const profileFolder = argument('cpu-prof');
const backflow = nodeVariant(
  'backflow',
  `lane-${SERVICE}-0of1`,
  {
    // Tracing is on and sampled at 1 %; nobody listens at the endpoint, which costs what a failing export costs.
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9',
    OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
    OTEL_TRACES_SAMPLER_ARG: '0.01',
  },
  profileFolder === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profileFolder}`],
);

function argument(name: string): string | undefined {
  return process.argv.find((text) => text.startsWith(`--${name}=`))?.slice(name.length + 3);
}

async function variants(): Promise<readonly Variant[]> {
  const bento = await findBento((line) => process.stderr.write(`${line}\n`));
  const own = [nodeVariant('control-loop', 'loop'), nodeVariant('ceiling', 'ceiling'), backflow];
  if (bento === undefined) return own;
  return [
    ...own,
    {
      name: 'bento',
      durable: 'bento',
      start: (around) => bento(around.natsUrl, around.postgres.url(DATABASE), around.folder),
    },
  ];
}

async function measure(one: Case, variant: Variant, postgres: PostgresServer): Promise<Measured> {
  const { workload } = one;
  await clearComments(postgres);
  const folder = await mkdtemp(join(tmpdir(), 'backflow-bench-'));
  const nats = await startNatsServer();
  const link = await connectNats({ servers: nats.url, name: 'bench' });
  try {
    await ensureTopology(link);
    await writeFile(join(folder, 'backflow.yaml'), configuration(postgres));
    if (variant.name === 'backflow') {
      await link.jsm.consumers.add('CHANGES', {
        durable_name: variant.durable,
        filter_subject: `change.${SERVICE}.>`,
        ack_policy: AckPolicy.Explicit,
        deliver_policy: DeliverPolicy.All,
        max_deliver: -1,
      });
    }
    await preload(link, workload);
    const running = variant.start({ natsUrl: nats.url, postgres, folder });
    try {
      const seconds = await drained(link, variant.durable, workload.events);
      const usage = running.usage();
      const stale = await staleFinals(postgres, finalTexts(workload));
      return {
        case: one.name,
        variant: variant.name,
        changesPerSecond: Math.round(workload.events / seconds),
        staleFinals: stale,
        ...usage,
        p50Ms: null,
        p99Ms: null,
      };
    } finally {
      await running.stop();
    }
  } finally {
    await link.close();
    await nats.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

async function preload(link: NatsLink, workload: Workload): Promise<void> {
  const publisher = createPublisher(link, { maxMessages: 1_000, maxBytes: 16 * 1024 * 1024 });
  let window: Promise<unknown>[] = [];
  for (const event of benchEvents(workload)) {
    window.push(publisher.publish(event.subject, event.body, { msgId: event.id }));
    if (window.length >= 1_000) {
      await Promise.all(window);
      window = [];
    }
  }
  await Promise.all(window);
  await publisher.settle();
}

/** Seconds from the first message taken to the last one acknowledged. */
async function drained(link: NatsLink, durable: string, events: number): Promise<number> {
  let began: number | undefined;
  for (;;) {
    const info = await link.jsm.consumers.info('CHANGES', durable).catch(() => undefined);
    const now = performance.now();
    if (info !== undefined) {
      if (began === undefined && info.delivered.stream_seq > 0) began = now;
      if (info.num_pending === 0 && info.num_ack_pending === 0 && info.ack_floor.stream_seq >= events)
        return (now - (began ?? now)) / 1_000;
    }
    await delay(10);
  }
}

function configuration(postgres: PostgresServer): string {
  return `targets:
  - service: ${SERVICE}
    connection:
      type: Postgres
      hostPort: "${postgres.host}:${postgres.port}"
      username: ${postgres.user}
      authType: { password: "\${BENCH_PASSWORD}" }
      database: ${DATABASE}
    rateLimit: { perSecond: 100000, burst: 1000000 }
channels:
  - name: documentation
    update: { descriptions: true, tags: false, owners: false }
`;
}

function table(rows: readonly Measured[]): string {
  const head = ['case', 'variant', 'changes/s', 'stale finals', 'CPU s', 'RSS MiB'];
  const cells = rows.map((row) => [
    row.case,
    row.variant,
    String(row.changesPerSecond),
    String(row.staleFinals),
    row.cpuSeconds.toFixed(1),
    String(row.rssMiB),
  ]);
  return [head, head.map(() => '---'), ...cells].map((line) => `| ${line.join(' | ')} |`).join('\n');
}

const median = (rows: readonly Measured[]): Measured | undefined =>
  rows.toSorted((a, b) => a.changesPerSecond - b.changesPerSecond)[Math.floor(rows.length / 2)];

const json = process.argv.includes('--json');
const runs = Number(argument('runs') ?? 3);
const onlyCase = argument('case');
const onlyVariant = argument('variant');

const cases = CASES.filter(({ name }) => onlyCase === undefined || name === onlyCase);
const all = (await variants()).filter(({ name }) => onlyVariant === undefined || name === onlyVariant);
const postgres = await startBenchPostgres(Math.max(...cases.map(({ workload }) => workload.assets)));
try {
  const results = new Map<string, Measured[]>();
  for (let run = 0; run < runs; run += 1) {
    for (const one of cases) {
      for (const variant of all) {
        const row = await measure(one, variant, postgres);
        process.stderr.write(
          `run ${run + 1}: ${row.case} ${row.variant} ${row.changesPerSecond}/s, ${row.staleFinals} stale, ${row.cpuSeconds.toFixed(1)} CPU s, ${row.rssMiB} MiB\n`,
        );
        results.set(`${one.name} ${variant.name}`, [...(results.get(`${one.name} ${variant.name}`) ?? []), row]);
      }
    }
  }
  const rows = [...results.values()].flatMap((rows) => median(rows) ?? []);
  const machine = `${cpus().length} × ${cpus()[0]?.model ?? 'unknown'}, Node ${process.version}`;
  process.stdout.write(
    json
      ? `${JSON.stringify({ machine, runs, cases: rows }, null, 2)}\n`
      : `${machine}; medians of ${runs} runs\n\n${table(rows)}\n`,
  );
} finally {
  await postgres.stop();
}
process.exit(0);
