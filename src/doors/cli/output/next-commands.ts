import type { Approval } from '../../../contracts/approvals.js';
import { meaningOf } from '../../../contracts/codes.js';
import type { Problem } from '../../../contracts/problem.js';
import { isEndState } from '../../../contracts/states.js';
import type { TaskStory } from '../../../contracts/story.js';
import type { Rollback, StepSummary } from '../../../contracts/task.js';
import { oneLine } from '../../../rules/shown-text.js';
import { generalPath } from '../../../rules/steps/turn-paths.js';
import { pathOfError, taskOfError } from '../../../rules/tasks/ways-to-retry.js';
import { commentFlag, fieldFlags } from './result/render-approval.js';
import { commandOf } from './typed-command.js';

export interface NextCommand {
  command: string;
  purpose: string;
}

/** The maximum number of running calls to name. */
const MAX_LOGS = 3;

/** The likely next commands for a reader of a task's story, the most likely first. @param user the reader. */
export function nextCommands(story: TaskStory, user?: string): NextCommand[] {
  if (isEndState(story.status)) return afterwards(story);
  // Temporal forgot a task that has only a record, so it takes no commands.
  return story.source === 'record' ? again(story) : meanwhile(story, user);
}

function meanwhile({ status, approvals, task_key, steps }: TaskStory, user: string | undefined): NextCommand[] {
  if (task_key === null) return [];
  const of = (verb: string): string => commandOf('ability', 'task', verb, task_key);
  const watch = { command: of('watch'), purpose: 'wait for its end' };
  const cancel = { command: of('cancel'), purpose: 'stop it; its clean-up runs' };
  if (status === 'created') return [{ command: of('run'), purpose: 'run it' }, cancel];
  const open = approvals.filter((approval) => approval.status === 'open');
  const logs = steps
    .filter((step) => step.status === 'running' && step.call !== null && !step.path.includes('*'))
    .slice(0, MAX_LOGS)
    .map(({ path }) => ({
      command: commandOf('ability', 'task', 'logs', task_key, path, '-f'),
      purpose: `what ${path} writes`,
    }));
  return [...open.flatMap((approval) => decisionCommands(task_key, approval, user)), ...logs, watch, cancel];
}

/**
 * How to approve, with the required fields, and how to deny.
 * @param user who would type the commands; `--as` is left out if this person may decide, or if proof is required.
 */
export function decisionCommands(
  key: string,
  approval: Pick<
    Approval,
    'id' | 'title' | 'fields' | 'comment' | 'people' | 'approvers' | 'self_approval' | 'requested_by' | 'proof'
  >,
  user?: string,
): NextCommand[] {
  const { id, title, people, approvers, self_approval, requested_by, proof } = approval;
  const isNamed = user !== undefined && (approvers.length === 0 || people.includes(user));
  const mayDecide = isNamed && (self_approval || requested_by.name !== user);
  const of = [key, '--approval', id, ...(mayDecide || proof === 'required' ? [] : ['--as', 'NAME'])];
  return [
    {
      command: commandOf('ability', 'approve', ...of, ...fieldFlags(approval), ...commentFlag(approval, 'approve')),
      purpose: `say yes to "${oneLine(title)}"`,
    },
    { command: commandOf('ability', 'deny', ...of, ...commentFlag(approval, 'deny')), purpose: 'say no' },
  ];
}

function afterwards(story: TaskStory): NextCommand[] {
  const { status, error, task_key } = story;
  const explain =
    error && meaningOf(error.code)
      ? [{ command: commandOf('ability', 'explain', error.code), purpose: 'what this error means and what to do' }]
      : [];
  if (task_key === null) return explain;
  if (status === 'succeeded')
    return [{ command: commandOf('ability', 'task', 'result', task_key), purpose: 'its output' }];
  return [...explain, ...afterFailure({ ...story, task_key }), ...again(story)];
}

export function afterFailure({ task_key, steps, error, retry, not_undone = [] }: Failed): NextCommand[] {
  const at = pathOfError(error) ?? '';
  const called = taskOfError(error);
  const failed = steps.find(({ path, call }) => call !== null && path === generalPath(at));
  const isCalled = called !== undefined && error?.code !== 'outcome.unknown';
  const logs =
    isCalled || (failed && failed.attempts > 0)
      ? [{ command: commandOf('ability', 'task', 'logs', called ?? task_key, at), purpose: 'what the call wrote' }]
      : [];
  const isUndecided = not_undone.some(({ status }) => status !== 'denied');
  return [...(at === '' ? [] : logs), ...(isUndecided ? askedFirst(task_key) : tryAgain(task_key, retry))];
}

export interface Failed extends Rollback {
  task_key: string;
  steps: readonly Pick<StepSummary, 'path' | 'call' | 'attempts'>[];
  error: Problem | null;
  retry: TaskStory['retry'];
}

/** What was not undone may stand, so a retry begins nowhere before a person has looked. */
function askedFirst(key: string): NextCommand[] {
  const purpose = 'try it again; it asks first what stands of what was not undone';
  return [{ command: commandOf('ability', 'task', 'retry', key), purpose }];
}

function tryAgain(key: string, retry: TaskStory['retry']): NextCommand[] {
  if (retry === null) return [];
  const from = retry.from === null ? [] : ['--from', retry.from];
  const first = retry.corrected ? 'correct the definition, then ' : '';
  const purpose = first + (retry.from === null ? takenOver(retry.foreach) : `try it again from ${retry.from} on`);
  return [{ command: commandOf('ability', 'task', 'retry', key, ...from), purpose }];
}

/** @param foreach the loop that failed; named in `--from`, it would restart at its first item. */
function takenOver(foreach: string | undefined): string {
  if (foreach === undefined) return 'try it again; what was done, and not undone, is kept';
  return `try it again; items that are done are kept (--from ${foreach} would do them all again)`;
}

/** Suggests nothing while the outcome is unknown: the effect may have taken place. */
function again({ status, task_key, definition, environment, input }: TaskStory): NextCommand[] {
  if (status === 'unknown' || input === null) return [];
  const verb = status === 'expired' ? 'task create' : 'run';
  const get = commandOf('ability', 'task', 'get', task_key ?? '');
  // The key of a refused task is free again.
  const key = status === 'unavailable' ? '' : ', under another key';
  const command = `${get} | ability ${verb} ${commandOf(definition.id, '--env', environment)} --input -`;
  return [{ command, purpose: `again with the same input${key}; --set changes a field` }];
}
