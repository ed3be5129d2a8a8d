/** What the connected server can do, from the version that it tells. */
export interface ServerCapabilities {
  /** As told, `2.9.10`. */
  readonly version: string;
  /** A consumer may have several filter subjects (2.10). */
  readonly multiFilter: boolean;
}

export function capabilitiesOf(version: string): ServerCapabilities {
  return { version, multiFilter: atLeast(version, 2, 10) };
}

function atLeast(version: string, major: number, minor: number): boolean {
  const [, first, second] = /^v?(\d+)\.(\d+)/.exec(version) ?? [];
  if (first === undefined || second === undefined) return false;
  return Number(first) > major || (Number(first) === major && Number(second) >= minor);
}
