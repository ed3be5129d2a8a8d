// The service as `backflow serve` runs it, in a process started with --expose-gc, which tells its parent about its memory when asked.

process.on('message', () => {
  globalThis.gc?.();
  const { heapUsed, rss } = process.memoryUsage();
  // Timers come and go with each request in flight; one that is left behind shows in the heap.
  const handles = process.getActiveResourcesInfo().filter((name) => name !== 'Timeout' && name !== 'Immediate');
  process.send?.({ heap: heapUsed, rss, handles: handles.length });
});
process.channel?.unref();

await import('../../src/cli/main.ts');

export {};
