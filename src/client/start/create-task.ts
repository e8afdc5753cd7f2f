import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/client';
import { AbilityError } from '../../contracts/problem.js';
import type { PreflightAnswer, TaskMemo, TaskRequest } from '../../contracts/task.js';
import { digestOf } from '../../rules/canonical.js';
import { refuseOtherInput, refuseOtherPlan } from '../../rules/plans/wanted-plan.js';
import { checkRunId } from '../../rules/sessions/check-run-id.js';
import { checkScope } from '../../rules/sessions/check-scope.js';
import { type FormedStart, formStart, type SealedAnswer } from '../../rules/tasks/form-start.js';
import { packArguments } from '../../rules/tasks/task-arguments.js';
import { refuseUnsafeKeys } from '../../rules/unsafe-keys.js';
import type { Connection } from '../connection/connect.js';
import { refuseWithoutWorker } from '../connection/find-workers.js';
import { keepingRuntime } from '../connection/keep-runtime.js';
import { asking, describeIfKnown, keywordAttributes } from '../connection/temporal-errors.js';
import { attachTask } from './attach-task.js';
import { giveFiles } from './give-files.js';
import { checkSessionId, checkUserKey, generateTaskKey } from './keys.js';
import type { NewTask } from './new-task.js';
import { MAX_TURNS, runPreflight, tooManyCallers } from './run-preflight.js';

/** A new task, or an existing one with the same key and request. */
export interface CreatedTask {
  /** Workflow id: the task key, or `direct:<uuid>`. */
  id: string;
  runId: string;
  warnings: string[];
  /** Whether the task already existed. */
  attached: boolean;
}

/**
 * Preflight, then the start of the workflow; only once that is accepted does the key guarantee a task.
 * @throws AbilityError errors of preflight.
 * Source: docs/architecture.md#the-rooms; docs/architecture.md#the-way-of-a-task.
 */
export async function createTask(connection: Connection, wanted: NewTask): Promise<CreatedTask> {
  if (wanted.session !== undefined && wanted.session !== null) checkSessionId(wanted.session);
  const id = wanted.direct
    ? `direct:${randomUUID()}`
    : wanted.key === undefined
      ? (wanted.made ?? generateTaskKey())
      : checkUserKey(wanted.key);
  // Too deeply nested input could not be sent.
  refuseUnsafeKeys(wanted.input);
  const given = wanted.files && (await giveFiles(connection, id, { ...wanted.files, signal: wanted.signal }));
  const request: TaskRequest = {
    ability: wanted.ability,
    environment: wanted.environment,
    input: { ...wanted.input, ...given?.input },
    task: id,
    direct: wanted.direct ?? false,
    user: wanted.user,
    session: wanted.session ?? null,
    ...(wanted.scope !== undefined && { scope: checkScope(wanted.scope) }),
    ...(wanted.caller && { caller: wanted.caller }),
    ...(wanted.intent !== undefined && { intent: wanted.intent }),
    ...(wanted.inRun !== undefined && { run: checkRunId(wanted.inRun) }),
    ...(wanted.retry && { retry: wanted.retry }),
    ...(wanted.plan && { plan: wanted.plan }),
  };
  const creating = asking(connection, async () => {
    for (let turn = 0; turn < MAX_TURNS; turn += 1) {
      const created = await keepingRuntime(connection, () => createOnce(connection, request, wanted), wanted.signal);
      if (created) return created;
    }
    throw tooManyCallers(request.task);
  });
  return creating.catch(async (error: unknown) => {
    // If the answer to a start was lost, the task exists and needs its files.
    if (given && !(await isKnown(connection, id))) await given.undo();
    throw error;
  });
}

/** @returns undefined if the task that held the key no longer exists, so that preflight must run again. */
async function createOnce(
  connection: Connection,
  request: TaskRequest,
  wanted: NewTask,
): Promise<CreatedTask | undefined> {
  const { task: id } = request;
  const { seal, ...answer } = await runPreflight(connection, request, wanted);
  const { warnings } = answer;
  if (answer.ended) return { id, runId: '', warnings, attached: true };
  const start = seal && startOf(connection, request, { ...answer, seal }, wanted);
  if (!start) await wanted.review?.(answer);
  const started = start && (await startOrForget(connection, request, start, wanted));
  if (started !== undefined && start) noteCreated(connection, id, start.memo, wanted);
  const runId = started ?? (await attachOrForget(connection, request, answer, wanted));
  return runId === undefined ? undefined : { id, runId, warnings, attached: started === undefined };
}

/** The maximum number of tasks whose memos a connection keeps. */
const MAX_CREATED = 1000;

/** Keeps the memo, so that the result can be read without a further request. */
function noteCreated({ created }: Connection, id: string, memo: TaskMemo, { run, key, direct }: NewTask): void {
  if (!created || !run || (key !== undefined && !direct)) return;
  if (created.size >= MAX_CREATED) created.delete(created.keys().next().value as string);
  created.set(id, memo);
}

/** Removes the record of this preflight if the key belongs to a task of another project. */
async function attachOrForget(
  connection: Connection,
  request: TaskRequest,
  { input, record }: Pick<PreflightAnswer, 'input' | 'record'>,
  { run }: NewTask,
): Promise<string | undefined> {
  try {
    return await attachTask(connection, request, digestOf(input), run);
  } catch (error) {
    const isOther = error instanceof AbilityError && error.code === 'task.other_project';
    if (isOther && record !== undefined) removeRecord(connection, request);
    throw error;
  }
}

/** Removes the record if the start fails. Source: docs/architecture.md#what-lives-where-in-temporal. */
async function startOrForget(
  connection: Connection,
  request: TaskRequest,
  start: Start,
  { review, signal }: NewTask,
): Promise<string | undefined> {
  try {
    // The worker has checked this already, unless it is of another build.
    const found = { plan: start.answer.plan, input: start.answer.seal.input };
    refuseOtherInput(request.plan, found);
    refuseOtherPlan(request.plan, found, true);
    await review?.(start.answer);
    await refuseWithoutWorker(connection, request.environment, start.answer.plan.placement);
    signal?.throwIfAborted();
    return await startTask(connection, request, start);
  } catch (error) {
    await forgetRecord(connection, request);
    throw error;
  }
}

type Start = FormedStart & { answer: SealedAnswer };

function startOf({ project }: Connection, request: TaskRequest, answer: SealedAnswer, wanted: NewTask): Start {
  const { run, handle, trace } = wanted;
  const formed = formStart(project, request, answer, run);
  const memo = { ...formed.memo, ...(handle !== undefined && { handle }), ...(trace !== undefined && { trace }) };
  return { ...formed, memo, answer };
}

/** @returns undefined if a workflow has the key already. A retry by Temporal's client is the same start. */
async function startTask(
  connection: Connection,
  request: TaskRequest,
  { answer, argument, attributes, ...options }: Start,
): Promise<string | undefined> {
  try {
    const handle = await connection.temporal.workflow.start(answer.plan.ability.id, {
      ...options,
      workflowId: request.task,
      args: packArguments(argument),
      workflowIdConflictPolicy: 'FAIL',
      workflowIdReusePolicy: 'REJECT_DUPLICATE',
      typedSearchAttributes: keywordAttributes(attributes),
    });
    return handle.firstExecutionRunId;
  } catch (error) {
    if (error instanceof WorkflowExecutionAlreadyStartedError) return undefined;
    throw error;
  }
}

/** Only if the server has no such task: a start's answer may be lost, or the key be another caller's. */
async function forgetRecord(connection: Connection, { direct, task }: TaskRequest): Promise<void> {
  if (direct || !connection.isOwnRuntime) return;
  if (!(await isKnown(connection, task))) removeRecord(connection, { task });
}

function removeRecord(connection: Connection, { task }: Pick<TaskRequest, 'task'>): void {
  if (!connection.isOwnRuntime) return;
  rmSync(join(connection.paths.records, task), { recursive: true, force: true });
}

/** True if the server does not answer: the task may exist. */
async function isKnown(connection: Connection, id: string): Promise<boolean> {
  const found = await describeIfKnown(connection, id).catch(() => 'not learnt');
  return found !== undefined;
}
