import { findServerBinary } from '../../streams/nats/server-binary.ts';
import { CURRENT_NATS_SERVER, providePeer } from '../support/peer-binaries.ts';

/** The servers that a cluster is tried on: the current release, and the one that the system has. */
export interface ServerUnderTest {
  readonly server: string;
  /** Undefined when it is missing, which has been told. */
  readonly binary: string | undefined;
}

export async function serversUnderTest(): Promise<readonly ServerUnderTest[]> {
  const current = await providePeer(CURRENT_NATS_SERVER);
  return [
    { server: CURRENT_NATS_SERVER.name, binary: current.kind === 'present' ? current.path : undefined },
    { server: "the system's nats-server", binary: findServerBinary() },
  ];
}

/** Sizes that three nodes on one disk can reserve. */
export const SMALL_R3 = {
  replicas: 3,
  changesMaxBytes: 200_000_000,
  outcomesMaxBytes: 100_000_000,
  eventsMaxBytes: 10_000_000,
  deadLettersMaxBytes: 10_000_000,
  parkedMaxBytes: 10_000_000,
} as const;
