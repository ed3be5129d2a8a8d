const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Milliseconds of a duration as configurations write it: `30s`, `10m`, `2h`, `1d`; undefined for anything else. */
export function parseDuration(text: string): number | undefined {
  const [, number, unit = ''] = /^([1-9]\d{0,8})(ms|s|m|h|d)$/.exec(text) ?? [];
  const unitMs = UNITS[unit];
  return number === undefined || unitMs === undefined ? undefined : Number(number) * unitMs;
}
