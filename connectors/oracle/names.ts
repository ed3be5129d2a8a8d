/** A name that can stand unquoted, in lower case: what ingestion makes of the upper-case names that the dictionary holds. */
const FOLDED = /^[a-z][a-z0-9_$#]*$/;

/**
 * The names that the dictionary may have for a name of the catalogue, the likeliest last. Ingestion shows a name that was made without
 * quotes (`ORDERS`) in lower case, and one that was made in lower case with quotes too.
 */
export function dictionaryNames(name: string): readonly string[] {
  return FOLDED.test(name) ? [name, name.toUpperCase()] : [name];
}

/** The likeliest of them, for when nobody can look it up. */
export function likelyName(name: string): string {
  return dictionaryNames(name).at(-1) ?? name;
}
