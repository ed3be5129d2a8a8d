/** The value of the promise, or undefined when it has not come in the given time; what comes later (a failure too) is ignored. */
export function withinTime<T>(promise: Promise<T>, milliseconds: number): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => resolve(undefined), milliseconds);
    promise.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
