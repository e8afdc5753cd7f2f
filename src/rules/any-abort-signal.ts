export interface AnyAbortSignal {
  /** Fires when any of them does, with its reason. */
  signal: AbortSignal;
  /** Removes the listeners, which longer-lived signals would keep alive. */
  release(): void;
}

/**
 * Replaces `AbortSignal.any` and `AbortSignal.timeout`: Node keeps their signals and listeners alive once they
 * have a listener, and may collect signals without one early.
 */
export function anyAbortSignal(signals: readonly AbortSignal[]): AnyAbortSignal {
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

/** Like {@link anyAbortSignal}, with a time limit. @param reason message of the error when the time is up. */
export function signalWithin(
  ms: number,
  signals: readonly AbortSignal[],
  reason = `It took longer than ${ms} ms`,
): AnyAbortSignal & { isLate(): boolean } {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(new Error(reason)), ms);
  const { signal, release } = anyAbortSignal([...signals, late.signal]);
  return {
    signal,
    isLate: () => late.signal.aborted,
    release: () => {
      clearTimeout(timer);
      release();
    },
  };
}

/** @returns whether the promise resolved in time. @throws its rejection within that time. */
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
