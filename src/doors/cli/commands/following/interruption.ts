import { AbilityError } from '../../../../contracts/problem.js';
import { EXIT, type ExitCode } from '../../../../contracts/states.js';
import type { Context } from '../../program/context.js';

type Listening = { terminal: Pick<Context['terminal'], 'onInterrupt'> };

/** Ctrl-C as an abort signal; a second Ctrl-C ends the process as usual. */
export function interruption({ terminal }: Listening): { signal: AbortSignal; done(): void } {
  const controller = new AbortController();
  const done = terminal.onInterrupt(() => controller.abort());
  return { signal: controller.signal, done };
}

/** As {@link interruption}, and stops listening when the action has ended. */
export async function withInterruption<T>(context: Listening, action: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const { signal, done } = interruption(context);
  try {
    return await action(signal);
  } finally {
    done();
  }
}

/** Runs what Ctrl-C may end before anything is written. @throws AbilityError `wait.interrupted` then. */
export function unlessInterrupted<T>(context: Listening, action: (signal: AbortSignal) => Promise<T>): Promise<T> {
  return withInterruption(context, (signal) =>
    action(signal).catch((error: unknown) => {
      if (!signal.aborted) throw error;
      const message = 'Interrupted; nothing was written';
      throw new AbilityError({ code: 'wait.interrupted', message }, { cause: error });
    }),
  );
}

export function untilAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}

/** @param more further fields of the JSON answer, and `note`, a longer text for people than `message`. */
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
