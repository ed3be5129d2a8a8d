import type { Aspect } from '../domain/entity.ts';

/** One change as the demo reports it. `verified`: the demo's own read of the source found what was expected, and the status is as expected. */
export interface DemoRow {
  readonly eventId: string;
  readonly service: string;
  readonly asset: string;
  readonly aspect: Aspect;
  readonly status: string;
  readonly reason?: string;
  readonly statements: readonly string[];
  /** What the source held when the demo looked; null: nothing. */
  readonly value: string | null;
  readonly verified: boolean;
  readonly shows: string;
}

/** A part of the demo that this machine cannot run, with the command that would change that. */
export interface SkippedPart {
  readonly part: string;
  readonly reason: string;
  readonly command: string;
}

export interface DemoReport {
  readonly ok: boolean;
  readonly changes: readonly DemoRow[];
  readonly skipped: readonly SkippedPart[];
}

const WIDTH = 108;

/** The report for people: a block for each change, since statements are long. */
export function formatReport(report: DemoReport, color: boolean): string {
  const paint = (code: number, text: string): string => (color ? `\u001b[${code}m${text}\u001b[0m` : text);
  const lines: string[] = [];
  for (const row of report.changes) {
    const mark = row.verified ? paint(32, '✓') : paint(31, '✗');
    const status = paint(row.status === 'applied' ? 32 : row.status === 'failed' ? 31 : 33, row.status.padEnd(10));
    lines.push(`${mark} ${status} ${row.aspect.padEnd(11)} ${row.asset}   ${paint(2, row.shows)}`);
    if (row.reason !== undefined) lines.push(`      reason  ${clip(row.reason)}`);
    for (const statement of row.statements) lines.push(`      SQL     ${clip(statement)}`);
    lines.push(`      source  ${row.value === null ? paint(2, '(none)') : clip(JSON.stringify(row.value))}`);
  }
  for (const part of report.skipped) {
    lines.push(`${paint(33, '–')} skipped    ${part.part}: ${part.reason}`, `      install ${part.command}`);
  }
  const verified = report.changes.filter((row) => row.verified).length;
  lines.push(
    '',
    `${verified} of ${report.changes.length} changes are as expected, read back over the demo's own connections.`,
  );
  return lines.join('\n');
}

function clip(text: string): string {
  const flat = text.replaceAll('\n', '⏎');
  return flat.length > WIDTH ? `${flat.slice(0, WIDTH - 1)}…` : flat;
}
