import { unfolded } from '../dialect/oracle-dialect.ts';

/**
 * The names that the dictionary may have for a name of the catalogue, the likeliest last. Ingestion shows a name that was made without
 * quotes (`ORDERS`) in lower case, and one that was made in lower case with quotes too.
 */
export function dictionaryNames(name: string): readonly string[] {
  const upper = unfolded(name);
  return upper === name ? [name] : [name, upper];
}
