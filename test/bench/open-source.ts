import type { BenchCase, SourceName } from './case.ts';
import { needsOf } from './cases.ts';
import { measureDrain } from './measure/measure-drain.ts';
import { measureLatency, measureStartUp } from './measure/measure-latency.ts';
import type { Row } from './report/row.ts';
import type { BenchSource } from './sources/bench-source.ts';
import { startClickhouseSource } from './sources/clickhouse-source.ts';
import { COMMIT_LOG_SETTINGS, type CommitLog, openCommitLog } from './sources/commit-log.ts';
import { startMariadbSource } from './sources/mariadb-source.ts';
import { type PostgresSource, startPostgresSource } from './sources/postgres-source.ts';
import type { Variant } from './variants.ts';

/** A running source, and how a case is measured on it. */
export interface OpenSource {
  readonly product: string;
  measure(one: BenchCase, variant: Variant, say: (line: string) => void): Promise<Row>;
  stop(): Promise<void>;
}

/** Starts the server that the cases of one source share. */
export async function openSource(name: SourceName, cases: readonly BenchCase[]): Promise<OpenSource> {
  const needs = needsOf(name, cases);
  if (name === 'mariadb' || name === 'mariadb-wide') return measuring(await startMariadbSource(needs));
  if (name === 'clickhouse') return measuring(await startClickhouseSource(needs));
  const timed = name === 'postgres-timed';
  const source = await startPostgresSource(needs, timed ? COMMIT_LOG_SETTINGS : {});
  // Only here, so that the measurements of speed are not slowed by it.
  return measuring(source, source, timed ? await openCommitLog(source) : undefined);
}

function measuring(source: BenchSource, postgres?: PostgresSource, log?: CommitLog): OpenSource {
  return {
    product: source.product,
    measure: (one, variant, say) => {
      if (one.kind === 'drain') return measureDrain(one, variant, source, postgres?.cutSessions, say);
      if (log === undefined) throw new Error(`${one.name} needs a source that tells when it committed`);
      return one.kind === 'latency'
        ? measureLatency(one, variant, source, log)
        : measureStartUp(one, variant, source, log);
    },
    stop: () => source.stop(),
  };
}
