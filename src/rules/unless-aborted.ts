/** Waits for a promise, at most until the signal aborts. @throws the reason of the signal. */
export async function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return promise;
  promise.catch(() => {});
  signal.throwIfAborted();
  let end = (): void => {};
  const aborted = new Promise<never>((_, reject) => {
    end = () => reject(signal.reason);
    signal.addEventListener('abort', end);
  });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener('abort', end);
  }
}
