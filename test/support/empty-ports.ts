import type { ApiPorts } from '../../src/api/ports.ts';

/** API ports of a service that knows nothing, for tests that are about something else. */
export const emptyPorts: ApiPorts = {
  lanes: async () => [],
  runs: async () => [],
  explain: async () => undefined,
  connectors: async () => [],
  deadLetters: async () => [],
  pause: async () => undefined,
  resume: async () => undefined,
  release: async () => undefined,
};
