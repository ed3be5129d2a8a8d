import { closest, distance } from 'fastest-levenshtein';

/** The candidate that was most likely meant, or undefined when none is near. Case and a missing or extra part are forgiven. */
export function nearest(word: string, candidates: readonly string[]): string | undefined {
  if (word === '' || candidates.length === 0) return undefined;
  const short = word.slice(0, 100);
  const lower = short.toLowerCase();
  const sameLetters = candidates.find((candidate) => candidate.toLowerCase() === lower);
  if (sameLetters !== undefined) return sameLetters;
  const best = closest(
    lower,
    [...candidates].map((candidate) => candidate.toLowerCase()),
  );
  if (distance(lower, best) <= Math.max(1, Math.floor(best.length / 3))) {
    return candidates.find((candidate) => candidate.toLowerCase() === best);
  }
  if (lower.length < 4) return undefined;
  const containing = candidates.filter((candidate) => {
    const other = candidate.toLowerCase();
    return other.length >= 4 && (other.includes(lower) || lower.includes(other));
  });
  return containing.sort((a, b) => a.length - b.length)[0];
}

/** `did you mean "x"?`, or the list of what is allowed, each once. */
export function suggestion(word: string, candidates: readonly string[], kind: string): string {
  const best = nearest(word, candidates);
  if (best !== undefined) return `did you mean ${JSON.stringify(best)}?`;
  return `${kind}: ${[...new Set(candidates)].sort().join(', ')}`;
}
