import { EXIT, type ExitCode } from '../../../../contracts/exit-codes.js';
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

/** Waits for the end that a signal gives. */
export function untilAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}

/**
 * Ends a command that was interrupted: says so, and answers with `wait.interrupted`.
 *
 * @param more what the JSON answer has besides, and a fuller text for people than `message`.
 */
export function endInterrupted(
  { flags, terminal }: Context,
  message: string,
  { note = `${message}.`, ...more }: { note?: string; task_key?: string; task_status?: string } = {},
): ExitCode {
  terminal.note(note);
  const error = { code: 'wait.interrupted', message, location: null, suggestion: null };
  if (flags.json) terminal.printJson({ status: 'error', ...more, error });
  return EXIT.interrupted;
}
