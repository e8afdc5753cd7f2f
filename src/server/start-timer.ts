/** Longest delay of a Node timer; a longer one would fire at once. Milliseconds. */
const MAX_MS = 2 ** 31 - 1;

/** Allows times of any length. @param ms infinite: never. @returns a function that cancels it. */
export function startTimer(ms: number, action: () => void): () => void {
  if (ms === Number.POSITIVE_INFINITY) return () => {};
  let timer: NodeJS.Timeout;
  const count = (rest: number): void => {
    const part = Math.min(rest, MAX_MS);
    timer = setTimeout(() => (rest > part ? count(rest - part) : action()), Math.max(0, part));
  };
  count(ms);
  return () => clearTimeout(timer);
}

/** Waits until the time is over or one of the signals fires. @param ms as of {@link startTimer}. */
export function sleep(ms: number, ...signals: (AbortSignal | undefined)[]): Promise<void> {
  if (signals.some((signal) => signal?.aborted)) return Promise.resolve();
  return new Promise((resolve) => {
    const stopTimer = startTimer(ms, wake);
    for (const signal of signals) signal?.addEventListener('abort', wake);
    function wake(): void {
      stopTimer();
      for (const signal of signals) signal?.removeEventListener('abort', wake);
      resolve();
    }
  });
}
