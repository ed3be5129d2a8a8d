/** Room taken from a gate; `release` may be called more than once. */
export interface GateTicket {
  release(): void;
}

/**
 * Bounds the bytes of all request bodies in memory at once, since each may have the full size that is allowed. Who finds no room
 * waits in line; who would wait too long is turned away. Invariant: the sum of the tickets out is at most `capacity`.
 */
export interface ByteGate {
  /** Waits at most `waitMs` for the room; undefined when none came free in that time. More than the capacity counts as all of it. */
  enter(bytes: number, waitMs: number): Promise<GateTicket | undefined>;
  /** Bytes taken now. */
  inUse(): number;
}

interface Waiter {
  readonly bytes: number;
  readonly admit: () => void;
}

export function createByteGate(capacity: number): ByteGate {
  let used = 0;
  const line: Waiter[] = [];

  const admitNext = () => {
    for (let next = line[0]; next !== undefined && used + next.bytes <= capacity; next = line[0]) {
      line.shift();
      used += next.bytes;
      next.admit();
    }
  };
  const ticket = (bytes: number): GateTicket => {
    let held = true;
    return {
      release: () => {
        if (!held) return;
        held = false;
        used -= bytes;
        admitNext();
      },
    };
  };

  return {
    inUse: () => used,
    enter: (wanted, waitMs) => {
      const bytes = Math.min(wanted, capacity);
      if (line.length === 0 && used + bytes <= capacity) {
        used += bytes;
        return Promise.resolve(ticket(bytes));
      }
      return new Promise((resolve) => {
        const waiter: Waiter = {
          bytes,
          admit: () => {
            clearTimeout(timer);
            resolve(ticket(bytes));
          },
        };
        const timer = setTimeout(() => {
          line.splice(line.indexOf(waiter), 1);
          resolve(undefined);
          // The one that left may have been the only one that did not fit.
          admitNext();
        }, waitMs);
        line.push(waiter);
      });
    },
  };
}
