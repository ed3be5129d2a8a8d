/** An amount of room or of use, in messages and in bytes. */
export interface Amount {
  readonly messages: number;
  readonly bytes: number;
}

/**
 * Accounting of what is in flight. Invariant: use stays within the limits in both measures, except that a single message
 * larger than all bytes is admitted when nothing else is in flight (otherwise it could never pass).
 */
export interface Credits {
  readonly limits: Amount;
  inUse(): Amount;
  free(): Amount;
  /** Whether a message of this size fits now. */
  admits(bytes: number): boolean;
  take(bytes: number): void;
  give(bytes: number): void;
}

export function createCredits(limits: Amount): Credits {
  let messages = 0;
  let used = 0;
  return {
    limits,
    inUse: () => ({ messages, bytes: used }),
    free: () => ({
      messages: Math.max(0, limits.messages - messages),
      bytes: Math.max(0, limits.bytes - used),
    }),
    admits: (bytes) => messages < limits.messages && (messages === 0 || used + bytes <= limits.bytes),
    take: (bytes) => {
      messages += 1;
      used += bytes;
    },
    give: (bytes) => {
      messages -= 1;
      used -= bytes;
    },
  };
}
