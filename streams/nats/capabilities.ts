/** What the connected server can do, from the version that it tells. */
export interface ServerCapabilities {
  /** As told, `2.9.10`. */
  readonly version: string;
  /** A consumer may have several filter subjects (2.10). */
  readonly multiFilter: boolean;
  /**
   * Compare-and-set holds on replicated streams. Early 2.9 checks it before the copies agree, so that several writers who come at the
   * same time are all told that they won (measured: 12 of 12 on 2.9.10, one on 2.9.25, 2.10.27 and 2.15.2).
   */
  readonly replicatedCompareAndSet: boolean;
}

export function capabilitiesOf(version: string): ServerCapabilities {
  return {
    version,
    multiFilter: atLeast(version, [2, 10, 0]),
    replicatedCompareAndSet: atLeast(version, [2, 9, 25]),
  };
}

type Release = readonly [major: number, minor: number, patch: number];

function atLeast(version: string, [major, minor, patch]: Release): boolean {
  const [, first, second, third] = /^v?(\d+)\.(\d+)(?:\.(\d+))?/.exec(version) ?? [];
  if (first === undefined || second === undefined) return false;
  const [a, b, c] = [Number(first), Number(second), Number(third ?? 0)];
  if (a !== major) return a > major;
  return b === minor ? c >= patch : b > minor;
}
