/**
 * Keeps a label's number of values bounded, since every value is a time series for ever: the first `limit` distinct values stand
 * as they are, later ones become `other`.
 */
export function boundedLabel(limit: number): (value: string) => string {
  const known = new Set<string>();
  return (value) => {
    if (known.has(value)) return value;
    if (known.size >= limit) return 'other';
    known.add(value);
    return value;
  };
}
