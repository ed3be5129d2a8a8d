/** Places where tests look into a write, and what they may switch off. Outside of tests: `{ lock: true }`. */
export interface WriteSeams {
  /** Whether columns are restated under a lock on their table. */
  readonly lock: boolean;
  /** Called between the reading of the definition and the ALTER. */
  readonly beforeAlter?: () => Promise<void>;
}
