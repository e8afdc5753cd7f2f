import type { Approval } from '../../contracts/approvals.js';
import { meaningOf } from '../../contracts/codes.js';
import { isEndState } from '../../contracts/states.js';
import type { TaskStory } from '../../contracts/story.js';
import { oneLine } from '../../rules/shown-text.js';
import { generalPath } from '../../rules/turn-paths.js';
import { commentFlag, fieldFlags } from './render-result.js';

/** A command to type next, and what for. */
export interface NextCommand {
  command: string;
  purpose: string;
}

/** What somebody who has read the story of a task would want to do now, the most likely first. */
export function nextCommands(story: TaskStory): NextCommand[] {
  if (isEndState(story.status)) return afterwards(story);
  // A task that is only a record any more takes no commands.
  return story.source === 'record' ? again(story) : meanwhile(story);
}

function meanwhile({ status, approvals, task_key }: TaskStory): NextCommand[] {
  if (task_key === null) return [];
  const watch = { command: `ability task watch ${task_key}`, purpose: 'wait for its end' };
  const cancel = { command: `ability task cancel ${task_key}`, purpose: 'stop it; its clean-up runs' };
  if (status === 'created') return [{ command: `ability task run ${task_key}`, purpose: 'run it' }, cancel];
  const open = approvals.filter((approval) => approval.status === 'open');
  return [...open.flatMap((approval) => decisionCommands(task_key, approval)), watch, cancel];
}

/** How an approval is granted, with the fields it asks for, and how it is refused. */
export function decisionCommands(
  key: string,
  approval: Pick<Approval, 'id' | 'title' | 'fields' | 'comment'>,
): NextCommand[] {
  const { id, title } = approval;
  return [
    {
      command: `ability approve ${key} --approval ${id} --as NAME${fieldFlags(approval)}${commentFlag(approval, 'approve')}`,
      purpose: `say yes to "${oneLine(title)}"`,
    },
    { command: `ability deny ${key} --approval ${id} --as NAME${commentFlag(approval, 'deny')}`, purpose: 'say no' },
  ];
}

function afterwards(story: TaskStory): NextCommand[] {
  const { status, error, task_key, steps } = story;
  const explain =
    error && meaningOf(error.code)
      ? [{ command: `ability explain ${error.code}`, purpose: 'what this error means and what to do' }]
      : [];
  if (task_key === null) return explain;
  if (status === 'succeeded') return [{ command: `ability task result ${task_key}`, purpose: 'its output' }];
  const at = pathOf(story) ?? '';
  const failed = steps.find(({ path, call }) => call !== null && path === generalPath(at));
  const logs =
    failed && failed.attempts > 0
      ? [{ command: `ability task logs ${task_key} ${at}`, purpose: 'what the call wrote' }]
      : [];
  return [...explain, ...logs, ...again(story)];
}

/** Where the error arose: its path, else the step it names. */
function pathOf({ error }: TaskStory): string | undefined {
  const details = error?.details;
  const path = details !== null && typeof details === 'object' && 'path' in details ? details.path : undefined;
  return typeof path === 'string' ? path : error?.step;
}

/** An effect that may have taken place is not something to do again unseen. */
function again({ status, task_key, definition, environment, input }: TaskStory): NextCommand[] {
  if (status === 'unknown' || input === null) return [];
  const verb = status === 'expired' ? 'task create' : 'run';
  const command = `ability task get ${task_key} | ability ${verb} ${definition.id} --env ${environment} --input -`;
  return [{ command, purpose: 'again with the same input, under another key; --set changes a field' }];
}
