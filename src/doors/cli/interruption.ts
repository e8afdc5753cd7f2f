import { AbilityError } from '../../contracts/problem.js';

/** Ctrl-C as a signal of the platform's kind; the second one ends the process as usual. */
export function interruption(): { signal: AbortSignal; done(): void } {
  const controller = new AbortController();
  const onSignal = (): void => controller.abort();
  process.once('SIGINT', onSignal);
  process.once('SIGTERM', onSignal);
  return {
    signal: controller.signal,
    done() {
      process.removeListener('SIGINT', onSignal);
      process.removeListener('SIGTERM', onSignal);
    },
  };
}

/**
 * Runs what Ctrl-C may end before anything is written.
 *
 * @throws AbilityError `wait.interrupted` then, whatever the action made of it.
 */
export async function unlessInterrupted<T>(action: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const { signal, done } = interruption();
  try {
    return await action(signal);
  } catch (error) {
    if (!signal.aborted) throw error;
    throw new AbilityError({ code: 'wait.interrupted', message: 'Interrupted; nothing was written' }, { cause: error });
  } finally {
    done();
  }
}
