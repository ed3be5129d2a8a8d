/** How commands answer: JSON on request, else text for people. Answers go to standard output, everything else to standard error. */
export interface Output {
  readonly json: boolean;
  readonly color: boolean;
  /** The command's answer: `text` is only made when no JSON was asked for. */
  answer(value: unknown, text: () => string): void;
  /** A remark on the way, for the person who waits. */
  say(line: string): void;
}

export function createOutput(json: boolean): Output {
  return {
    json,
    color: process.stdout.isTTY === true && process.env.NO_COLOR === undefined,
    answer: (value, text) => process.stdout.write(json ? `${JSON.stringify(value, null, 2)}\n` : `${text()}\n`),
    say: (line) => process.stderr.write(`${line}\n`),
  };
}

/** Rows as aligned columns; empty cells are shown as a dash. */
export function formatTable(head: readonly string[], rows: readonly (readonly (string | number | undefined)[])[]): string {
  const cells = rows.map((row) => row.map((cell) => (cell === undefined || cell === '' ? '–' : String(cell))));
  const widths = head.map((title, column) => Math.max(title.length, ...cells.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]): string => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ').trimEnd();
  return [line(head), ...cells.map(line)].join('\n');
}
