import { type Connection, cancelTask, pauseTask, resumeTask, signalTask } from '../../../../client/index.js';
import { parseJson } from '../../input/parse-input.js';
import { asTyped } from '../../output/typed-command.js';
import { type Context, openRegistry, printAnswer, withSession } from '../../program/context.js';
import type { TaskFlags } from '../../program/tasks.js';

/** `ability task cancel KEY`: asks a task to stop; its clean-up still runs. */
export const cancel = steering(cancelTask, (key) => {
  return `${key} was asked to stop; its clean-up runs first: ability task watch ${key}`;
});

export const pause = steering(pauseTask, (key) => {
  return `${key} starts nothing new; calls under way finish; to go on: ability task resume ${key}`;
});

export const resume = steering(resumeTask, (key) => `${key} goes on: ability task watch ${key}`);

/**
 * `ability task signal KEY NAME`: sends what a `wait: { signal }` waits for. Source: docs/workflow-language.md#waits.
 */
export async function signal(
  context: Context,
  [key, name]: [string, string],
  flags: TaskFlags['signal'],
): Promise<void> {
  const payload = flags.payload === undefined ? null : parseJson(flags.payload, '--payload');
  return withSession(context, await openRegistry(context), async (connection) => {
    await signalTask(connection, key, name, payload);
    return accepted(context, { task_key: key, signal: name }, `${key} was sent ${name}: ability task watch ${key}`);
  });
}

/** A command that sends a request which the task carries out later. @param said describes the effect. */
function steering(ask: (connection: Connection, key: string) => Promise<unknown>, said: (key: string) => string) {
  return async (context: Context, [key]: [string]): Promise<void> =>
    withSession(context, await openRegistry(context), async (connection) => {
      await ask(connection, key);
      return accepted(context, { task_key: key }, said(key));
    });
}

function accepted(context: Context, answer: { task_key: string; signal?: string }, text: string): void {
  printAnswer(context, { status: 'accepted', ...answer }, () => asTyped(text, context));
}
