/** Names quoted by hand and joined, for statements of the tests' own. */
export const quoted = (...names: readonly string[]): string =>
  names.map((name) => `"${name.replaceAll('"', '""')}"`).join('.');
