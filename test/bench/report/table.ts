import type { BenchCase } from '../case.ts';
import type { SummaryRow } from './row.ts';

const HEAD = [
  'case',
  'variant',
  'changes/s',
  '× loop',
  'stale finals',
  'CPU s',
  'RSS MiB',
  'statements',
  'transactions',
  'p50 ms',
  'p99 ms',
  'first write ms',
] as const;

const NONE = '–';

/** The rows as a Markdown table; `aligned` pads it for reading in a terminal. */
export function table(rows: readonly SummaryRow[], { aligned }: { readonly aligned: boolean }): string {
  const cells = rows.map(cellsOf);
  const widths = HEAD.map((head, column) =>
    aligned ? Math.max(head.length, ...cells.map((line) => line[column]?.length ?? 0)) : 0,
  );
  const line = (texts: readonly string[]): string =>
    `| ${texts.map((text, column) => (column < 2 ? text.padEnd(widths[column] ?? 0) : text.padStart(widths[column] ?? 0))).join(' | ')} |`;
  const rule = `| ${widths.map((width, column) => (column < 2 ? '-'.repeat(Math.max(3, width)) : `${'-'.repeat(Math.max(3, width) - 1)}:`)).join(' | ')} |`;
  return [line(HEAD), rule, ...cells.map(line)].join('\n');
}

function cellsOf(row: SummaryRow): readonly string[] {
  return [
    row.case,
    row.variant,
    `${whole(row.changesPerSecond)}${row.drained ? '' : ' (not finished)'}`,
    row.ratio === null ? NONE : row.ratio.toFixed(row.ratio < 10 ? 2 : 1),
    row.stalePoisoned === null ? whole(row.staleFinals) : `${whole(row.staleFinals)} + ${whole(row.stalePoisoned)}`,
    row.cpuSeconds === null ? NONE : row.cpuSeconds.toFixed(1),
    whole(row.rssMiB),
    whole(row.statements),
    whole(row.transactions),
    tenths(row.p50Ms),
    tenths(row.p99Ms),
    whole(row.firstWriteMs),
  ];
}

const whole = (value: number | null): string => (value === null ? NONE : Math.round(value).toLocaleString('en-US'));
const tenths = (value: number | null): string => (value === null ? NONE : value.toFixed(1));

/** What stands below the table: how to read it, and what each case is. */
export function legend(cases: readonly BenchCase[], runs: number): string {
  return [
    `Medians of ${runs} ${runs === 1 ? 'run' : 'runs'}; stale finals: the most of any run (a + b: b of tables with changes that cannot be applied).`,
    'changes/s: whose final values were read back from the source. CPU: of the variant alone. RSS: of its largest process.',
    'statements: that wrote, as the source counted them; transactions: those of reading included. – : not measured, or not counted there.',
    'p50, p99: from publish to the commit, which PostgreSQL dates itself (before it flushes); first write: from the start of the process.',
    '',
    ...cases.map(({ name, about }) => `- \`${name}\`: ${about}`),
  ].join('\n');
}
