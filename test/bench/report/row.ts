import type { VariantName } from '../case.ts';

/** What one run measured; null: not measured in this case. */
export interface Row {
  readonly case: string;
  readonly variant: VariantName;
  /** Changes whose final values were read back from the source, by the time that it took. */
  readonly changesPerSecond: number | null;
  /** Tables (or columns) in which, at the end, another text stood than that of the newest change. */
  readonly staleFinals: number | null;
  /** The same for tables that had changes which cannot be applied among theirs; not in `staleFinals`. */
  readonly stalePoisoned: number | null;
  readonly cpuSeconds: number | null;
  /** The highest resident size, of the largest process. */
  readonly rssMiB: number | null;
  /** Statements that wrote, as the source counted them. */
  readonly statements: number | null;
  /** Transactions of the database, those of reading included. */
  readonly transactions: number | null;
  /** From publish to committed. */
  readonly p50Ms: number | null;
  readonly p99Ms: number | null;
  /** From the start of the process to the commit of its first write. */
  readonly firstWriteMs: number | null;
  /** False: the case's time was over first. */
  readonly drained: boolean;
}

/** Several runs as one row. */
export interface SummaryRow extends Row {
  /** `changesPerSecond` by the control loop's in the same case; null where the pace is given. */
  readonly ratio: number | null;
}

export const NOT_MEASURED = {
  changesPerSecond: null,
  staleFinals: null,
  stalePoisoned: null,
  cpuSeconds: null,
  rssMiB: null,
  statements: null,
  transactions: null,
  p50Ms: null,
  p99Ms: null,
  firstWriteMs: null,
  drained: true,
} as const satisfies Partial<Row>;

/** Rows of several runs → one for each case and variant, in the order in which they first came. */
export function summarise(rows: readonly Row[]): readonly SummaryRow[] {
  const groups = Map.groupBy(rows, (row) => `${row.case} ${row.variant}`);
  const medians = [...groups.values()].flatMap((group) => medianRow(group) ?? []);
  return medians.map((row) => {
    const loop = medians.find((other) => other.case === row.case && other.variant === 'control-loop');
    // Where changes come at a given pace, the pace is what changes/s tells.
    const paced = row.p50Ms !== null;
    const { case: name, variant, ...rest } = row;
    return {
      case: name,
      variant,
      ...rest,
      ratio: paced ? null : quotient(row.changesPerSecond, loop?.changesPerSecond ?? null),
    };
  });
}

/** The middle run as it was, but with the most stale finals that any run had: one bad run is one too many. */
function medianRow(rows: readonly Row[]): Row | undefined {
  const middle = rows.toSorted((a, b) => speed(a) - speed(b))[Math.floor(rows.length / 2)];
  if (middle === undefined) return undefined;
  return {
    ...middle,
    staleFinals: most(rows.map((row) => row.staleFinals)),
    stalePoisoned: most(rows.map((row) => row.stalePoisoned)),
    drained: rows.every(({ drained }) => drained),
  };
}

/** What runs of one case are ordered by: higher is better. */
function speed({ p99Ms, firstWriteMs, changesPerSecond }: Row): number {
  const time = p99Ms ?? firstWriteMs;
  return time === null ? (changesPerSecond ?? 0) : -time;
}

function most(counts: readonly (number | null)[]): number | null {
  const known = counts.filter((count) => count !== null);
  return known.length === 0 ? null : Math.max(...known);
}

function quotient(value: number | null, by: number | null): number | null {
  return value === null || by === null || by === 0 ? null : value / by;
}
