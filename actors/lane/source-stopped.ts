import type { PullSource } from '../../streams/nats/contract.ts';

/** A source that does not stop in time (NATS is away) is not waited for. */
const STOP_MS = 2_000;

/** What goes back must not meet the source's last request: an old server would lose it until `ack_wait`. */
export async function sourceStopped({ source }: { readonly source: PullSource }): Promise<void> {
  const timeUp = new Promise<void>((resolve) => setTimeout(resolve, STOP_MS).unref());
  await Promise.race([source.stopped(), timeUp]);
}
