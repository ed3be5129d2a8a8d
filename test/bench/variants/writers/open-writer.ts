import { clickhouseWriter } from './clickhouse.ts';
import { mariadbWriter } from './mariadb.ts';
import { postgresWriter } from './postgres.ts';
import type { Writer } from './writer.ts';

const WRITERS = new Map([
  ['postgres', postgresWriter],
  ['mariadb', mariadbWriter],
  ['clickhouse', clickhouseWriter],
]);

/** The writer of the system that the benchmark names. */
export function openWriter(env: NodeJS.ProcessEnv): Writer {
  const open = WRITERS.get(env.BENCH_SYSTEM ?? '');
  if (open === undefined) throw new Error(`BENCH_SYSTEM is none of ${[...WRITERS.keys()].join(', ')}`);
  return open(env.BENCH_URL ?? '');
}
