// The service as `backflow serve` runs it, in a process started with --expose-gc, which tells its parent about its memory when asked.

process.on('message', () => {
  globalThis.gc?.();
  const { heapUsed, rss } = process.memoryUsage();
  process.send?.({ heap: heapUsed, rss, handles: process.getActiveResourcesInfo().length });
});
process.channel?.unref();

await import('../../src/cli/main.ts');

export {};
