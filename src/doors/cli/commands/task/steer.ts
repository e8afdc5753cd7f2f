import { asTyped } from '../../../../shown/typed-command.js';
import { parseJson } from '../../input/parse-input.js';
import { type Context, printAnswer } from '../../program/context.js';
import { withProject } from '../../program/project-client.js';
import type { TaskFlags } from '../../program/tasks.js';

/** `ability task cancel KEY`: asks a task to stop; its clean-up still runs. */
export const cancel = steering('cancelTask', (key) => {
  return `${key} was asked to stop; its \`undo\` and \`finally\` run first: ability task watch ${key}`;
});

export const pause = steering('pauseTask', (key) => {
  return `${key} starts nothing new; calls under way finish; to go on: ability task resume ${key}`;
});

export const resume = steering('resumeTask', (key) => `${key} goes on: ability task watch ${key}`);

/**
 * `ability task signal KEY NAME`: sends what a `wait: { signal }` waits for. Source: docs/workflow-language.md#waits.
 */
export async function signal(
  context: Context,
  [key, name]: [string, string],
  flags: TaskFlags['signal'],
): Promise<void> {
  const payload = flags.payload === undefined ? null : parseJson(flags.payload, '--payload');
  const answer = await withProject(context, (project) => project.call('signalTask', { key, name, payload }));
  printAnswer(context, answer, () => asTyped(`${key} was sent ${name}: ability task watch ${key}`, context));
}

/** A command that sends a request which the task carries out later. @param said describes the effect. */
function steering(name: 'cancelTask' | 'pauseTask' | 'resumeTask', said: (key: string) => string) {
  return async (context: Context, [key]: [string]): Promise<void> => {
    const answer = await withProject(context, (project) => project.call(name, { key }));
    printAnswer(context, answer, () => asTyped(said(key), context));
  };
}
