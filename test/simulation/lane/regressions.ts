/** Seeds that once found a fault; they run first. */
export const REGRESSIONS: readonly number[] = [4_303, 100_278];
