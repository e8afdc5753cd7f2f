// The way of a start: start-request.ts (arguments, options, queue), then one request to Temporal; where the key is
// taken attach-task.ts; for callers who want to know whether the task was formed await-preflight.ts.
import { randomUUID } from 'node:crypto';
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import { SIGNALS } from '../../contracts/names.js';
import { AbilityError } from '../../contracts/problem.js';
import type { TaskMemo } from '../../contracts/task.js';
import { checkRunId, checkScope } from '../../rules/sessions/session-refusals.js';
import { DIRECT_PREFIX } from '../../rules/tasks/task-ids.js';
import { refuseUnsafeKeys } from '../../rules/unsafe-keys.js';
import type { Connection } from '../connection/connect.js';
import { keepingRuntime } from '../connection/keep-runtime.js';
import { asking } from '../connection/temporal-errors.js';
import { describedState } from '../list/task-query.js';
import { watchingStalls } from '../watch/find-stall.js';
import { refuseNotBegun } from '../watch/refuse-stuck.js';
import { attachTask } from './attach-task.js';
import { awaitPreflight, isFormed } from './await-preflight.js';
import { giveFiles } from './give-files.js';
import { checkMadeKey, checkSessionId, checkUserKey, generateTaskKey } from './keys.js';
import type { CreatedTask, NewTask } from './new-task.js';
import { type StartRequest, startRequest } from './start-request.js';

/** How often a start is repeated while others give up and take its key. */
const MAX_TURNS = 20;

/**
 * Starts a task: one request to Temporal, whose workflow begins with its own preflight. Resolves when that is done,
 * or with `soon` when the start is accepted. The only way in which a client starts a task.
 * @throws AbilityError errors of preflight; `task.key_conflict`, `task.other_project`, `placement.no_worker`,
 * `worker.unavailable`. Source: docs/start-from-temporal.md.
 */
export async function createTask(connection: Connection, given: NewTask): Promise<CreatedTask> {
  const { session, scope } = given.caller;
  if (session !== null) checkSessionId(session);
  if (scope !== null) checkScope(scope);
  if (given.inRun !== undefined) checkRunId(given.inRun);
  const id = idOf(given);
  // Too deeply nested input could not be sent.
  refuseUnsafeKeys(given.input);
  const files = given.files && (await giveFiles(connection, id, { ...given.files, signal: given.signal }));
  const wanted: NewTask = files ? { ...given, input: { ...given.input, ...files.input } } : given;
  const start = (): Promise<CreatedTask> => startOrAttach(connection, id, wanted);
  return asking(connection, () => keepingRuntime(connection, start, wanted.signal)).catch(async (error: unknown) => {
    // If the answer to a start was lost, the task exists and needs its files.
    if (files && !(await needsFiles(connection, id))) await files.undo();
    throw error;
  });
}

function idOf({ direct, key, made }: NewTask): string {
  if (direct) return `${DIRECT_PREFIX}${randomUUID()}`;
  if (key !== undefined) return checkUserKey(key);
  return made === undefined ? generateTaskKey() : checkMadeKey(made);
}

async function startOrAttach(connection: Connection, id: string, wanted: NewTask): Promise<CreatedTask> {
  // What is reviewed must not run before.
  const request = await startRequest(connection, wanted.review ? { ...wanted, run: false } : wanted, id);
  let isFree = false;
  for (let turn = 0; turn < MAX_TURNS; turn += 1) {
    wanted.signal?.throwIfAborted();
    const runId = await startOnce(connection, id, wanted, request, isFree);
    if (runId !== undefined) return acknowledge(connection, { id, runId, warnings: [], attached: false }, wanted);
    const holder = await attachTask(connection, id, wanted);
    if (typeof holder === 'object') return holder;
    isFree = holder === 'given up';
  }
  throw new AbilityError({
    code: 'task.key_conflict',
    message: `Too many callers want the key ${id} for different tasks at once`,
    suggestion: 'Choose another key.',
  });
}

/** @returns undefined if a workflow has the key. @param isFree whether a task that was refused had it last. */
async function startOnce(
  connection: Connection,
  id: string,
  { ability, run, key, direct, retry }: NewTask,
  { args, memo, options }: StartRequest,
  isFree: boolean,
): Promise<string | undefined> {
  try {
    const handle = await connection.temporal.workflow.start(ability, {
      ...options,
      workflowId: id,
      args,
      memo: { ...memo, ...(isFree && { again: true }) },
      workflowIdConflictPolicy: 'FAIL',
      workflowIdReusePolicy: isFree ? 'ALLOW_DUPLICATE' : 'REJECT_DUPLICATE',
    });
    if (run && !retry && (key === undefined || direct)) noteCreated(connection, id, memo);
    return handle.firstExecutionRunId;
  } catch (error) {
    if (error instanceof WorkflowExecutionAlreadyStartedError) return undefined;
    throw error;
  }
}

/** The maximum number of tasks whose memos a connection keeps. */
const MAX_CREATED = 1000;

/** Keeps the memo, so that the result can be read without a further request. */
function noteCreated({ created }: Connection, id: string, memo: TaskMemo): void {
  if (!created) return;
  if (created.size >= MAX_CREATED) created.delete(created.keys().next().value as string);
  created.set(id, memo);
}

/**
 * Waits for its preflight, if the caller wants to know of it. @throws AbilityError with the refusal;
 * `worker.unavailable`.
 */
async function acknowledge(connection: Connection, created: CreatedTask, wanted: NewTask): Promise<CreatedTask> {
  const { review, run, soon, leaves, onStall } = wanted;
  // Files of a request that is refused are removed at once.
  if (soon && !review && !wanted.files) return created;
  const { id, runId } = created;
  const isAwaited = review !== undefined || !leaves;
  const answer = await watchingStalls(connection, id, onStall, async () => {
    const early = await awaitPreflight(connection, { workflowId: id, runId });
    return early || !isAwaited ? early : awaitSlow(connection, created, review !== undefined);
  });
  // What a record remembers has not run again.
  if (!isFormed(answer)) return { ...created, attached: answer !== undefined && 'ended' in answer };
  if (review) {
    const handle = connection.temporal.workflow.getHandle(id, undefined, { firstExecutionRunId: runId });
    // Nothing of it has run before the review agrees.
    try {
      await review(answer);
    } catch (error) {
      await handle.cancel();
      throw error;
    }
    if (run) await handle.signal(SIGNALS.run);
  }
  return { ...created, warnings: answer.warnings ?? [], ...(answer.begins !== undefined && { begins: answer.begins }) };
}

/** With hooks that are scripts, and workers that are killed meanwhile, a preflight may take this long. Milliseconds. */
const SLOW_MS = 180_000;

/** Goes on waiting for a preflight that has begun. @param isHeld whether the task waits for a review. */
async function awaitSlow(
  connection: Connection,
  { id, runId }: CreatedTask,
  isHeld: boolean,
): ReturnType<typeof awaitPreflight> {
  const handle = connection.temporal.workflow.getHandle(id, runId);
  const { status, raw } = await handle.describe();
  if (status.name !== 'RUNNING') return undefined;
  try {
    refuseNotBegun(id, raw, 0);
  } catch (error) {
    if (isHeld) await handle.cancel();
    throw error;
  }
  return awaitPreflight(connection, { workflowId: id, runId }, SLOW_MS);
}

/** True if the server does not answer: the task may exist. */
async function needsFiles(connection: Connection, id: string): Promise<boolean> {
  const found = await describedState(connection, id).catch(() => 'not learnt');
  return found !== undefined && found !== 'unavailable';
}
