/** Ctrl-C reaches this process more than once where npm or a starter passes on what the terminal has sent to all of them. */
const SAME_WISH_MS = 1_000;

/** Resolves at the first SIGINT or SIGTERM; another one, not just an echo of the first, ends the process at once. */
export function untilSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    let firstAt: number | undefined;
    const onSignal = (signal: NodeJS.Signals): void => {
      if (firstAt !== undefined && performance.now() - firstAt > SAME_WISH_MS) process.exit(130);
      firstAt ??= performance.now();
      resolve(signal);
    };
    process.on('SIGINT', onSignal);
    process.on('SIGTERM', onSignal);
  });
}
