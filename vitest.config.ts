import { defineConfig } from 'vitest/config';

// Unit tests stand beside the code; everything that starts a server or runs many seeds lies under test/.
export default defineConfig({
  test: {
    include: ['{src,actors,streams,connectors}/**/*.test.ts', 'test/**/*.test.ts'],
    exclude: ['test/peers/**', 'node_modules/**'],
    testTimeout: 30_000,
    hookTimeout: 120_000,
    globalSetup: ['./test/support/global-setup.ts'],
    pool: 'forks',
    maxWorkers: 2,
    reporters: ['default', './test/support/closing-line-reporter.ts'],
  },
});
