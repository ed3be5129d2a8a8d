/** How commands answer: JSON on request, else text for people. Answers go to standard output, everything else to standard error. */
export interface Output {
  readonly json: boolean;
  readonly color: boolean;
  /** The command's answer: `text` is only made when no JSON was asked for; an empty one prints nothing. */
  answer(value: unknown, text: () => string): void;
  /** A remark on the way, for the person who waits. */
  say(line: string): void;
}

export function createOutput(json: boolean): Output {
  const answerText = (text: string): string => (text === '' ? '' : `${text}\n`);
  return {
    json,
    color: process.stdout.isTTY === true && !process.env.NO_COLOR,
    answer: (value, text) => process.stdout.write(json ? `${JSON.stringify(value, null, 2)}\n` : answerText(text())),
    say: (line) => process.stderr.write(`${line}\n`),
  };
}

/** Texts of the catalogue on a terminal: control characters, which could command it, are shown as their escapes. */
export function printable(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is replaced
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g, (char) => {
    if (char === '\n') return '⏎';
    return `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}

/** Rows as aligned columns; empty cells are shown as a dash. */
export function formatTable(
  head: readonly string[],
  rows: readonly (readonly (string | number | undefined)[])[],
): string {
  const cells = rows.map((row) =>
    row.map((cell) => (cell === undefined || cell === '' ? '–' : printable(String(cell)))),
  );
  const widths = head.map((title, column) => Math.max(title.length, ...cells.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]): string =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd();
  return [line(head), ...cells.map(line)].join('\n');
}

/** At most so many characters, with a mark where the rest is missing. */
export function clip(text: string, length: number): string {
  const flat = printable(text);
  return flat.length > length ? `${flat.slice(0, length - 1).toWellFormed()}…` : flat;
}

/** `2026-11-30 11:13:43`, in UTC. */
export function formatTime(epochMs: number): string {
  const date = new Date(epochMs);
  return Number.isNaN(date.getTime()) ? '' : date.toISOString().slice(0, 19).replace('T', ' ');
}

/** `850 ms`, `12 s`, `5 min`, `3 h`, `2 d`. */
export function formatDuration(ms: number): string {
  const steps = [
    [86_400_000, 'd'],
    [3_600_000, 'h'],
    [60_000, 'min'],
    [1_000, 's'],
  ] as const;
  for (const [size, unit] of steps)
    if (ms >= size * 2 || (unit === 's' && ms >= size)) return `${Math.floor(ms / size)} ${unit}`;
  return `${Math.round(ms)} ms`;
}
