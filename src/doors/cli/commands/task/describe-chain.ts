import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { earlierKeys, nextKey, type TaskChain } from '../../../../client/index.js';
import { isTaskKey } from '../../../../rules/tasks/task-ids.js';
import { asTyped, commandOf } from '../../output/typed-command.js';
import type { Context } from '../../program/context.js';

export function describeChain({ retry_of, retries }: TaskChain, context: Context): string[] {
  const newest = retries.at(-1);
  const later = retries.map(({ task, status }) => `${task} (${status})`).join(', ');
  return [
    ...(retry_of === null ? [] : [`tries ${retry_of} again`]),
    ...(newest
      ? [asTyped(`tried again as ${later}; the newest: ${commandOf('ability', 'task', 'show', newest.task)}`, context)]
      : []),
  ];
}

/**
 * Which of several retries of a task a log is of, since each counts its attempts from 1; undefined if no other one
 * is recorded here. @param folder of the record of the task.
 */
export function describePlaceInChain(key: string, folder: string, context: Context): string | undefined {
  const isHere = (task: string): boolean => existsSync(join(dirname(folder), task));
  const earlier = earlierKeys(key).filter(isHere);
  const next = nextKey(key);
  const others = [...earlier, ...(isHere(next) ? [next] : [])];
  if (!isTaskKey(key) || others.length === 0) return undefined;
  const commands = others.map((task) => asTyped(commandOf('ability', 'task', 'logs', task), context)).join(', ');
  return `This is ${key}, task ${earlier.length + 1} of a chain of retries; attempts are counted in each task. Others: ${commands}`;
}
