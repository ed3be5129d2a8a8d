import { defineConfig } from 'vitest/config';
import { CURRENT_NATS_SERVER, providePeer } from './test/support/peer-binaries.ts';

// Tests against what is not installed everywhere: newer releases, clusters, other systems. What is missing is skipped and named.
// Other tools read this file too; only a test run may build what is missing.
const isTestRun = process.argv[1]?.includes('vitest') === true;
const natsServer = isTestRun ? await providePeer(CURRENT_NATS_SERVER) : undefined;
const shared = { testTimeout: 120_000, hookTimeout: 300_000, pool: 'forks' as const };

export default defineConfig({
  test: {
    maxWorkers: 2,
    globalSetup: ['./test/support/global-setup.ts'],
    reporters: ['default', './test/support/closing-line-reporter.ts'],
    projects: [
      { test: { ...shared, name: 'peers', include: ['test/peers/**/*.test.ts'] } },
      // What holds on the system's nats-server has to hold on the current one.
      ...(natsServer === undefined || natsServer.kind === 'missing'
        ? []
        : [
            {
              test: {
                ...shared,
                name: CURRENT_NATS_SERVER.name,
                include: ['test/integration/streams/**/*.test.ts', 'test/integration/lane.test.ts'],
                env: { BACKFLOW_TEST_NATS_SERVER: natsServer.path },
              },
            },
          ]),
    ],
  },
});
