/** One setting that is not as it has to be. */
export interface Difference {
  readonly setting: string;
  readonly wanted: unknown;
  readonly found: unknown;
}

/**
 * Which of the wanted settings the server does not have. Servers leave out what is zero, false or empty, so those equal
 * absence; lists are compared as sets (a stream may have more subjects than ours).
 */
export function configDifferences(wanted: object, found: object): readonly Difference[] {
  const present = new Map<string, unknown>(Object.entries(found));
  return Object.entries(wanted)
    .map(([setting, value]: [string, unknown]) => ({ setting, wanted: value, found: present.get(setting) }))
    .filter((difference) => !satisfies(difference.wanted, difference.found));
}

function satisfies(wanted: unknown, found: unknown): boolean {
  if (Array.isArray(wanted)) return Array.isArray(found) && wanted.every((item) => found.includes(item));
  return wanted === found || (isNothing(wanted) && isNothing(found));
}

function isNothing(value: unknown): boolean {
  return value === undefined || value === null || value === 0 || value === false || value === '';
}

/** `discard is "old" and has to be "new"; …` */
export function describeDifferences(differences: readonly Difference[]): string {
  return differences
    .map(
      ({ setting, wanted, found }) => `${setting} is ${JSON.stringify(found)} and has to be ${JSON.stringify(wanted)}`,
    )
    .join('; ');
}
