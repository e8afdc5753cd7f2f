import { AbilityError } from '../../../../contracts/problem.js';
import type { Context } from '../../program/context.js';

/** Whoever can hear a Ctrl-C. */
type Listening = { terminal: Pick<Context['terminal'], 'onInterrupt'> };

/** Ctrl-C as a signal of the platform's kind; the second one ends the process as usual. */
export function interruption({ terminal }: Listening): { signal: AbortSignal; done(): void } {
  const controller = new AbortController();
  const done = terminal.onInterrupt(() => controller.abort());
  return { signal: controller.signal, done };
}

/**
 * Runs what Ctrl-C may end before anything is written.
 *
 * @throws AbilityError `wait.interrupted` then, whatever the action made of it.
 */
export async function unlessInterrupted<T>(
  context: Listening,
  action: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const { signal, done } = interruption(context);
  try {
    return await action(signal);
  } catch (error) {
    if (!signal.aborted) throw error;
    throw new AbilityError({ code: 'wait.interrupted', message: 'Interrupted; nothing was written' }, { cause: error });
  } finally {
    done();
  }
}
