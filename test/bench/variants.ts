import { join } from 'node:path';
import { AckPolicy, DeliverPolicy } from '@nats-io/jetstream';
import { changeFilter, encodeToken } from '../../src/domain/subjects.ts';
import type { BenchCase, VariantName } from './case.ts';
import { readerWindow, type Surroundings } from './measure/surroundings.ts';
import { startVariant, type VariantProcess } from './measure/variant-process.ts';
import { findBento } from './peers/bento.ts';

/** A way to bring changes into a source. */
export interface Variant {
  readonly name: VariantName;
  /** Consumers that it reads with. */
  durables(around: Surroundings): readonly string[];
  /** What has to be there before the first change is published. */
  prepare(around: Surroundings): Promise<void>;
  /** Starts one process. */
  start(around: Surroundings, one: BenchCase): VariantProcess;
}

/** What users start. */
const BACKFLOW = new URL('../../bin/backflow.js', import.meta.url).pathname;
const script = (name: string): string => new URL(`./variants/${name}.ts`, import.meta.url).pathname;

function handWritten(name: 'control-loop' | 'ceiling', durable: string): Variant {
  return {
    name,
    durables: () => [durable],
    prepare: async () => undefined,
    start: ({ natsUrl, source, workload }) =>
      startVariant(process.execPath, [script(name)], {
        BENCH_NATS: natsUrl,
        BENCH_SYSTEM: source.system,
        BENCH_URL: source.url(0),
        BENCH_WINDOW: String(readerWindow(workload, 1_000)),
      }),
  };
}

function backflow(profileFolder: string | undefined): Variant {
  const flags = profileFolder === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profileFolder}`];
  const lanes = ({ source, workload }: Surroundings) =>
    source.places.slice(0, workload.services).map(({ service }) => ({
      durable: `lane-${encodeToken(service)}-0of1`,
      filter: changeFilter(service),
    }));
  return {
    name: 'backflow',
    durables: (around) => lanes(around).map(({ durable }) => durable),
    prepare: async (around) => {
      // A new target begins with what comes after it; here it shall find a backlog.
      for (const { durable, filter } of lanes(around))
        await around.link.jsm.consumers.add('CHANGES', {
          durable_name: durable,
          filter_subject: filter,
          ack_policy: AckPolicy.Explicit,
          deliver_policy: DeliverPolicy.All,
          max_deliver: -1,
        });
    },
    start: ({ natsUrl, source, folder, spansUrl }) =>
      startVariant(process.execPath, [...flags, BACKFLOW, 'serve'], {
        NATS_URL: natsUrl,
        BACKFLOW_DATA: join(folder, 'data'),
        BACKFLOW_CONFIG: join(folder, 'backflow.yaml'),
        BACKFLOW_HTTP: '127.0.0.1:0',
        BENCH_PASSWORD: source.password,
        // As the README advises.
        MALLOC_ARENA_MAX: '2',
        // Tracing is on, and sampled at 1 %.
        OTEL_EXPORTER_OTLP_ENDPOINT: spansUrl,
        OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
        OTEL_TRACES_SAMPLER_ARG: '0.01',
      }),
  };
}

/** All variants that can be started here; what is missing is told. */
export function findVariants(say: (line: string) => void, profileFolder?: string): readonly Variant[] {
  const bento = findBento(say);
  return [
    handWritten('control-loop', 'loop'),
    handWritten('ceiling', 'ceiling'),
    ...(bento === undefined
      ? []
      : [
          {
            name: 'bento',
            durables: () => ['bento'],
            prepare: async () => undefined,
            start: (around, { workload }) => bento(around, workload),
          } satisfies Variant,
        ]),
    backflow(profileFolder),
  ];
}
