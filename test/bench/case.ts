import type { Workload } from './workload/workload.ts';

export type VariantName = 'control-loop' | 'ceiling' | 'bento' | 'backflow';

/** A real server that several cases share. */
export type SourceName = 'postgres' | 'postgres-timed' | 'mariadb' | 'mariadb-wide' | 'clickhouse';

interface AnyCase {
  readonly name: string;
  readonly source: SourceName;
  /** Variants that make sense; the others get no row. */
  readonly variants: readonly VariantName[];
  readonly workload: Workload;
  /** What a reader of the table has to know. */
  readonly about: string;
}

/** A full stream is drained. */
export interface DrainCase extends AnyCase {
  readonly kind: 'drain';
  /** Every table was changed and written once before, by the same variant. */
  readonly warm?: boolean;
  /** The variant's database sessions are ended three times. */
  readonly cut?: boolean;
  /** Processes of the variant; default 1. */
  readonly replicas?: number;
}

/** Changes come one by one to a service that has run for a while. */
export interface LatencyCase extends AnyCase {
  readonly kind: 'latency';
  readonly everyMs: number;
  /** Changes before those that count. */
  readonly warmUp: number;
}

/** One change waits for a process that is started. */
export interface StartUpCase extends AnyCase {
  readonly kind: 'start-up';
}

export type BenchCase = DrainCase | LatencyCase | StartUpCase;
