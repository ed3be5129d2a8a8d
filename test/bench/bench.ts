import { HELP, readArguments } from './arguments.ts';
import type { BenchCase } from './case.ts';
import { openSource } from './open-source.ts';
import { machineLine, natsProduct } from './report/machine.ts';
import { type Row, summarise } from './report/row.ts';
import { legend, table } from './report/table.ts';
import { findVariants, type Variant } from './variants.ts';

const say = (line: string): void => void process.stderr.write(`${line}\n`);

const read = readArguments(process.argv.slice(2));
if ('help' in read) {
  process.stdout.write(`${HELP}\n`);
  process.exit(0);
}
if ('problem' in read) {
  say(`${read.problem}\n\n${HELP}`);
  process.exit(2);
}

// A measurement is left at once, but the servers are stopped in order, so that their data does not stay behind.
const interrupt = Promise.withResolvers<never>();
let interrupted = false;
interrupt.promise.catch(() => undefined);
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    interrupted = true;
    interrupt.reject(new Error('interrupted'));
  });

const { cases, variants: asked, runs, form, profileFolder } = read.options;
const variants = findVariants(say, profileFolder).filter(({ name }) => asked.includes(name));
const rows: Row[] = [];
const products = new Set<string>();
const skipped: string[] = [];

for (const [source, group] of Map.groupBy(cases, (one) => one.source)) {
  const opened = await openSource(source, group).catch((error: unknown) => {
    skipped.push(`${group.map(({ name }) => name).join(', ')}: ${reason(error)}`);
    return undefined;
  });
  if (opened === undefined) continue;
  products.add(opened.product);
  try {
    for (let run = 1; run <= runs; run += 1)
      for (const [one, variant] of pairs(group)) {
        if (interrupted) break;
        try {
          const measured = opened.measure(one, variant, (line) => say(`  ${line}`));
          const row = await Promise.race([measured, interrupt.promise]);
          say(`run ${run}: ${told(row)}`);
          rows.push(row);
        } catch (error) {
          skipped.push(`${one.name} ${variant.name}, run ${run}: ${reason(error)}`);
        }
      }
  } finally {
    await opened.stop();
  }
  if (interrupted) process.exit(130);
}

const summary = summarise(rows);
const machine = machineLine(await natsProduct(), [...products]);
for (const line of skipped) say(`SKIPPED ${line}`);
process.stdout.write(
  form === 'json'
    ? `${JSON.stringify({ machine, runs, cases: summary, skipped }, null, 2)}\n`
    : `${machine}\n\n${table(summary, { aligned: form === 'terminal' })}\n\n${legend(cases, runs)}\n`,
);
process.exit(skipped.length === 0 ? 0 : 1);

/** Variants take turns within a case, so that a change of the machine's mood meets all of them. */
function pairs(group: readonly BenchCase[]): readonly (readonly [BenchCase, Variant])[] {
  return group.flatMap((one) =>
    variants.filter(({ name }) => one.variants.includes(name)).map((variant) => [one, variant] as const),
  );
}

function reason(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function told(row: Row): string {
  const parts = [
    row.changesPerSecond === null ? [] : [`${row.changesPerSecond}/s`],
    row.staleFinals === null ? [] : [`${row.staleFinals} stale`],
    row.stalePoisoned === null ? [] : [`${row.stalePoisoned} stale of poisoned`],
    row.cpuSeconds === null ? [] : [`${row.cpuSeconds.toFixed(1)} CPU s`],
    row.rssMiB === null ? [] : [`${row.rssMiB} MiB`],
    row.statements === null ? [] : [`${row.statements} statements`],
    row.transactions === null ? [] : [`${row.transactions} transactions`],
    row.p50Ms === null ? [] : [`p50 ${row.p50Ms.toFixed(1)} ms`],
    row.p99Ms === null ? [] : [`p99 ${row.p99Ms.toFixed(1)} ms`],
    row.firstWriteMs === null ? [] : [`first write after ${row.firstWriteMs} ms`],
    row.drained ? [] : ['NOT FINISHED'],
  ];
  return `${row.case} ${row.variant}: ${parts.flat().join(', ')}`;
}
