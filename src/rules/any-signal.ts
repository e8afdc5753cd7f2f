/** A combination of several signals for a limited time. */
export interface AnySignal {
  /** Fires with the reason of the first of them that does. */
  signal: AbortSignal;
  /** Detaches it, so that longer-lived signals do not keep its listeners alive. */
  release(): void;
}

/**
 * A signal that fires when any of several does.
 *
 * Replaces `AbortSignal.any` and `AbortSignal.timeout`: Node keeps their signals and listeners alive once they have a
 * listener; signals without one may be collected early.
 */
export function anySignal(signals: readonly AbortSignal[]): AnySignal {
  const controller = new AbortController();
  const ends = signals.map((signal) => {
    const end = (): void => controller.abort(signal.reason);
    if (signal.aborted) end();
    else signal.addEventListener('abort', end, { once: true });
    return { signal, end };
  });
  return {
    signal: controller.signal,
    release: () => {
      for (const { signal, end } of ends) signal.removeEventListener('abort', end);
    },
  };
}

/** As {@link anySignal}, and it fires once the time is up. @param reason what is reported then. */
export function signalWithin(
  ms: number,
  signals: readonly AbortSignal[],
  reason = `It took longer than ${ms} ms`,
): AnySignal & { isLate(): boolean } {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(new Error(reason)), ms);
  const { signal, release } = anySignal([...signals, late.signal]);
  return {
    signal,
    isLate: () => late.signal.aborted,
    release: () => {
      clearTimeout(timer);
      release();
    },
  };
}

/**
 * Waits for a promise, and no longer than its limit. @returns whether it ended in time. @throws its rejection within
 * that time.
 */
export async function endsWithin(ms: number, promise: Promise<unknown>): Promise<boolean> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), ms);
  });
  try {
    return await Promise.race([promise.then(() => true), late]);
  } finally {
    clearTimeout(timer);
  }
}
