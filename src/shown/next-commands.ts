import type { Approval, Verdict } from '../contracts/approvals.js';
import { meaningOf } from '../contracts/codes.js';
import type { Problem } from '../contracts/problem.js';
import { isEndState } from '../contracts/states.js';
import type { TaskStory } from '../contracts/story.js';
import type { Rollback, StepSummary } from '../contracts/task.js';
import { oneLine } from '../rules/shown-text.js';
import { generalPath } from '../rules/steps/step-tree.js';
import { needsComment } from '../rules/tasks/decision-form.js';
import { pathOfError, taskOfError } from '../rules/tasks/ways-to-retry.js';
import { asTyped, commandOf, type Typist } from './typed-command.js';

export interface NextCommand {
  command: string;
  purpose: string;
}

/**
 * Where people see a task, or without a key all that waits: the page's address, else the command that opens the page of the
 * own runtime, as it is typed; undefined: neither.
 */
export function pageWords(
  address: string | null,
  isOwnRuntime: boolean,
  typist: Typist,
  ...key: string[]
): string | undefined {
  if (address !== null) return address;
  return isOwnRuntime ? asTyped(commandOf('ability', 'open', ...key), typist) : undefined;
}

/** The maximum number of running calls to name. */
const MAX_LOGS = 3;

/** The likely next commands for a reader of a task's story, the most likely first. @param user as {@link decisionCommands}. */
export function nextCommands(story: TaskStory, user?: string | null): NextCommand[] {
  if (isEndState(story.status)) return afterwards(story);
  // Temporal forgot a task that has only a record, so it takes no commands.
  return story.source === 'record' ? again(story) : meanwhile(story, user);
}

function meanwhile({ status, approvals, task_key, steps }: TaskStory, user: string | null | undefined): NextCommand[] {
  if (task_key === null) return [];
  const watch = next('wait for its end', 'task', 'watch', task_key);
  const cancel = next('stop it; its `undo` and `finally` run', 'task', 'cancel', task_key);
  if (status === 'created') return [next('run it', 'task', 'run', task_key), cancel];
  const open = approvals.filter((approval) => approval.status === 'open');
  const logs = steps
    .filter((step) => step.status === 'running' && step.call !== null && !step.path.includes('*'))
    .slice(0, MAX_LOGS)
    .map(({ path }) => next(`what ${path} writes`, 'task', 'logs', task_key, path, '-f'));
  return [...open.flatMap((approval) => decisionCommands(task_key, approval, user)), ...logs, watch, cancel];
}

/**
 * How to approve, with the required fields, and how to deny.
 * @param user who would type the commands; null: an agent reads them, to tell people. `--as` is left out for agents, if
 * this person may decide, and if proof is required.
 */
export function decisionCommands(
  key: string,
  approval: Pick<
    Approval,
    'id' | 'title' | 'fields' | 'comment' | 'people' | 'approvers' | 'self_approval' | 'requested_by' | 'proof'
  >,
  user?: string | null,
): NextCommand[] {
  const { id, title, people, approvers, self_approval, requested_by, proof } = approval;
  const isNamed = typeof user === 'string' && (approvers.length === 0 || people.includes(user));
  const mayDecide = isNamed && (self_approval || requested_by.name !== user);
  const of = [key, '--approval', id, ...(user === null || mayDecide || proof === 'required' ? [] : ['--as', 'NAME'])];
  const filled = [...fieldFlags(approval), ...commentFlag(approval, 'approve')];
  return [
    next(`say yes to "${oneLine(title)}"`, 'approve', ...of, ...filled),
    next('say no', 'deny', ...of, ...commentFlag(approval, 'deny')),
  ];
}

function next(purpose: string, ...words: string[]): NextCommand {
  return { command: commandOf('ability', ...words), purpose };
}

function fieldFlags({ fields = {} }: Pick<Approval, 'fields'>): string[] {
  return Object.entries(fields)
    .filter(([, { optional }]) => !optional)
    .flatMap(([name, { type, enum: choices }]) => [
      '--set',
      `${name}=${choices ? oneLine(choices.join('|')) : type.toUpperCase()}`,
    ]);
}

/** Empty if the decision needs no comment. */
function commentFlag(approval: Pick<Approval, 'comment'>, verdict: Verdict): string[] {
  return needsComment(approval, verdict) ? ['--comment', 'TEXT'] : [];
}

function afterwards(story: TaskStory): NextCommand[] {
  const { status, error, task_key } = story;
  const isKnown = error && meaningOf(error.code);
  const explain = isKnown ? [next('what this error means and what to do', 'explain', error.code)] : [];
  if (task_key === null) return explain;
  if (status === 'succeeded') return [next('its output', 'task', 'result', task_key)];
  return [...explain, ...afterFailure({ ...story, task_key }), ...again(story)];
}

export function afterFailure({ task_key, steps, error, retry, not_undone = [] }: Failed): NextCommand[] {
  const at = pathOfError(error) ?? '';
  const called = taskOfError(error);
  const failed = steps.find(({ path, call }) => call !== null && path === generalPath(at));
  const isCalled = called !== undefined && error?.code !== 'outcome.unknown';
  const hasLogs = at !== '' && (isCalled || (failed && failed.attempts > 0));
  const logs = hasLogs ? [next('what the call wrote', 'task', 'logs', called ?? task_key, at)] : [];
  const { asked } = (error?.details ?? {}) as { asked?: { call: string } };
  if (asked) return [...logs, next(`ask ${asked.call} again, then go on`, 'task', 'reconcile', task_key)];
  // What was not undone may stand, so a retry begins nowhere before a person has looked.
  if (not_undone.every(({ status }) => status === 'denied')) return [...logs, ...tryAgain(task_key, retry)];
  const purpose = 'try it again; it asks first what stands of what was not undone';
  return [...logs, next(purpose, 'task', 'retry', task_key)];
}

export interface Failed extends Rollback {
  task_key: string;
  steps: readonly Pick<StepSummary, 'path' | 'call' | 'attempts'>[];
  error: Problem | null;
  retry: TaskStory['retry'];
}

function tryAgain(key: string, retry: TaskStory['retry']): NextCommand[] {
  if (retry === null) return [];
  const from = retry.from === null ? [] : ['--from', retry.from];
  const first = retry.corrected ? 'correct the definition, then ' : '';
  const purpose = first + (retry.from === null ? takenOver(retry.foreach) : `try it again from ${retry.from} on`);
  return [next(purpose, 'task', 'retry', key, ...from)];
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
