import type { BenchCase, DrainCase, SourceName, VariantName } from './case.ts';
import type { SourceNeeds } from './sources/bench-source.ts';

const ALL: readonly VariantName[] = ['control-loop', 'ceiling', 'bento', 'backflow'];
const USABLE: readonly VariantName[] = ['control-loop', 'bento', 'backflow'];
const OWN: readonly VariantName[] = ['control-loop', 'ceiling', 'backflow'];

const targetsOf12 = (replicas: number): DrainCase => ({
  kind: 'drain',
  name: `targets-12-${replicas}`,
  source: 'postgres',
  variants: ['backflow'],
  workload: { services: 12, assets: 200, events: 24_000, bytes: 2_700 },
  replicas,
  about: `24,000 changes of 2.7 KB for 12 targets with 200 tables each, ${replicas} ${replicas === 1 ? 'replica' : 'replicas'}`,
});

/** All cases, in the order in which they are run and shown. */
export const CASES: readonly BenchCase[] = [
  {
    kind: 'drain',
    name: 'postgres-200',
    source: 'postgres',
    variants: ALL,
    workload: { services: 1, assets: 200, events: 120_000, bytes: 2_700 },
    about: '120,000 changes of 2.7 KB, each of 200 tables 600 times',
  },
  {
    kind: 'drain',
    name: 'postgres-20000',
    source: 'postgres',
    variants: ALL,
    workload: { services: 1, assets: 20_000, events: 80_000, bytes: 2_700 },
    about: '80,000 changes of 2.7 KB, each of 20,000 tables four times; nothing was recorded before (cold)',
  },
  {
    kind: 'drain',
    name: 'postgres-20000-warm',
    source: 'postgres',
    variants: ALL,
    workload: { services: 1, assets: 20_000, events: 80_000, bytes: 2_700 },
    warm: true,
    about:
      'the same after a pass over all tables that is not counted: sync states are stored, the process is new (warm)',
  },
  {
    kind: 'drain',
    name: 'postgres-200-60kb',
    source: 'postgres',
    variants: ALL,
    workload: { services: 1, assets: 200, events: 4_000, bytes: 60_000 },
    about: '4,000 changes of 60 KB, each of 200 tables 20 times; the windows of ceiling and Bento are cut to 12 MiB',
  },
  {
    kind: 'drain',
    name: 'postgres-200-mixed',
    source: 'postgres',
    variants: ALL,
    workload: { services: 1, assets: 200, events: 20_000, bytes: 2_700, mixed: true },
    about:
      '20,000 changes of 2.7 KB; 10 % bring the text that stands already, 1 % cannot be applied (table missing, body unreadable); Bento tries a batch that fails one by one',
  },
  {
    kind: 'drain',
    name: 'postgres-200-cut',
    source: 'postgres',
    variants: ALL,
    workload: { services: 1, assets: 200, events: 30_000, bytes: 2_700 },
    cut: true,
    about: '30,000 changes of 2.7 KB over 200 tables, and three times all database sessions of the variant are ended',
  },
  targetsOf12(1),
  targetsOf12(2),
  targetsOf12(4),
  {
    kind: 'latency',
    name: 'light-load',
    source: 'postgres-timed',
    variants: USABLE,
    workload: { services: 1, assets: 1_000, events: 10_000, bytes: 2_700 },
    everyMs: 1,
    warmUp: 2_000,
    about: '1,000 changes a second over 1,000 tables for 10 s, after 2 s that are not counted',
  },
  {
    kind: 'latency',
    name: 'idle',
    source: 'postgres-timed',
    variants: USABLE,
    workload: { services: 1, assets: 100, events: 100, bytes: 2_700 },
    everyMs: 100,
    warmUp: 20,
    about: 'one change every 100 ms, 100 changes',
  },
  {
    kind: 'start-up',
    name: 'start-up',
    source: 'postgres-timed',
    variants: USABLE,
    workload: { services: 1, assets: 1, events: 1, bytes: 2_700 },
    about: 'one change waits; from the start of the process to the commit of the write',
  },
  {
    kind: 'drain',
    name: 'mariadb-200',
    source: 'mariadb',
    variants: ALL,
    workload: { services: 1, assets: 200, events: 4_000, bytes: 2_700 },
    about: '4,000 changes of 2.7 KB, each of 200 tables 20 times',
  },
  {
    kind: 'drain',
    name: 'mariadb-wide',
    source: 'mariadb-wide',
    variants: OWN,
    workload: { services: 1, assets: 100, events: 100, bytes: 2_700, columns: 500 },
    about:
      '100 changes, each of all 500 columns of a table; counted in columns; the loop makes one ALTER for each column, the others one for each table',
  },
  {
    kind: 'drain',
    name: 'clickhouse-200',
    source: 'clickhouse',
    variants: OWN,
    workload: { services: 1, assets: 200, events: 4_000, bytes: 2_700 },
    about: '4,000 changes of 2.7 KB, each of 200 tables 20 times',
  },
];

/** Cases by exact names, or by the beginning of names up to a dash (`targets-12`); all when nothing is asked for. */
export function casesNamed(
  names: readonly string[],
): { readonly cases: readonly BenchCase[] } | { readonly unknown: string } {
  const fits = (name: string, asked: string): boolean =>
    CASES.some((one) => one.name === asked) ? name === asked : name.startsWith(`${asked}-`);
  const unknown = names.find((asked) => !CASES.some(({ name }) => fits(name, asked)));
  if (unknown !== undefined) return { unknown };
  return { cases: CASES.filter(({ name }) => names.length === 0 || names.some((asked) => fits(name, asked))) };
}

/** What a source has to hold so that all the given cases can run on it. */
export function needsOf(source: SourceName, cases: readonly BenchCase[]): SourceNeeds {
  const workloads = cases.filter((one) => one.source === source).map(({ workload }) => workload);
  const places = Math.max(...workloads.map(({ services }) => services));
  const tables = Array.from({ length: places }, (_, place) =>
    Math.max(...workloads.filter(({ services }) => place < services).map(({ assets }) => assets)),
  );
  const columns = workloads.find((workload) => workload.columns !== undefined)?.columns;
  return { tables, ...(columns === undefined ? {} : { columns }) };
}

/** A case with fewer changes, but at least one for each table (one at all where they come one by one). */
export function scaled(one: BenchCase, scale: number): BenchCase {
  if (scale === 1 || one.kind === 'start-up') return one;
  const { workload } = one;
  const unit = one.kind === 'latency' ? 1 : workload.services * workload.assets;
  const events = Math.max(1, Math.round((workload.events * scale) / unit)) * unit;
  const about = `${one.about} (scaled to ${events} changes)`;
  const smaller = { about, workload: { ...workload, events } };
  if (one.kind !== 'latency') return { ...one, ...smaller };
  return { ...one, ...smaller, warmUp: Math.max(1, Math.round(one.warmUp * scale)) };
}
