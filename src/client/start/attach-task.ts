import type { WorkflowExecutionDescription } from '@temporalio/client';
import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';
import { SIGNALS } from '../../contracts/names.js';
import { AbilityError } from '../../contracts/problem.js';
import type { TaskStart } from '../../contracts/task.js';
import { digestOf } from '../../rules/canonical.js';
import { hasTools, isWantedPlan, planDigest } from '../../rules/plans/plan-digest.js';
import { keyOfDeleted, keyOfOther, projectOf } from '../../rules/tasks/task-refusals.js';
import { findDeletion, findEarlier } from '../../server/temporal/find-deletion.js';
import { readStart, type SeenStart } from '../../server/temporal/read-start.js';
import type { Connection } from '../connection/connect.js';
import { describeIfKnown, isUnknownWorkflow } from '../connection/temporal-errors.js';
import { awaitResult } from '../view/read-result.js';
import { awaitPreflight } from './await-preflight.js';
import type { CreatedTask, NewTask } from './new-task.js';

const STATUS = defineSearchAttributeKey('AbilityStatus', SearchAttributeType.KEYWORD);

/** `given up`: its last task was refused; `gone`: Temporal no longer has what held it. */
type Holder = CreatedTask | 'given up' | 'gone';

/**
 * What holds a key: this same task, which it runs if that only waits to be run, or nothing any more. The input counts
 * with the defaults of the plan that the holder has. @throws AbilityError `task.key_conflict`, `task.other_project`.
 */
export async function attachTask(connection: Connection, id: string, wanted: NewTask): Promise<Holder> {
  const [description, deleted] = await Promise.all([
    describeIfKnown(connection, id),
    findDeletion(connection.temporal, id),
  ]);
  if (!description) return 'gone';
  if (deleted) throw keyOfDeleted(id, deleted, connection.project);
  const { typedSearchAttributes, status, runId } = description;
  const project = projectOf(description);
  const isOpen = status.name === 'RUNNING';
  const seen = await readStart(connection.temporal, connection.codec, { workflowId: id, runId });
  if (!isOpen && wasNotFormed(typedSearchAttributes.get(STATUS), seen)) {
    // A start from outside may have been refused because an ended task has the key.
    const ended = await findEarlier(connection.temporal, id, runId);
    if (ended !== undefined) throw keyConflict(id, `a task that has ended (${ended})`);
    return 'given up';
  }
  // Its client refused what was resolved, so that nothing of it ran.
  if (status.name === 'CANCELLED' && description.memo?.held && (await awaitResult(connection, id)).started_at === null)
    return 'given up';
  if (project !== connection.project && !(project === '' && isOpen)) throw keyOfOther(id, project, connection.project);
  if (!isAsGiven(seen, wanted, description)) {
    // Of another ability it is another task, whatever becomes of it; or no task at all.
    const waits = !wanted.soon && description.type === wanted.ability;
    const holder = seen?.begun ?? (waits ? await formedBy(connection, id, runId) : undefined);
    if (holder === 'given up') return holder;
    await refuseOther(id, wanted, description, holder);
  }
  if (!wanted.run || !isOpen || typedSearchAttributes.get(STATUS) !== 'created') return attached(id, runId);
  if (wanted.review) {
    const begun = seen?.begun ?? (await formedBy(connection, id, runId));
    if (begun === 'given up') return begun;
    if (begun) await wanted.review(begun);
  }
  try {
    // Signals the run that was compared; a change of the input would have replaced it.
    await connection.temporal.workflow.getHandle(id, runId).signal(SIGNALS.run);
    return attached(id, runId);
  } catch (error) {
    if (isUnknownWorkflow(error)) return attachTask(connection, id, wanted);
    throw error;
  }
}

/** Refused by its preflight, or no worker took it up in time. */
function wasNotFormed(status: string | undefined, seen: SeenStart | undefined): boolean {
  return status === 'unavailable' || (status === 'expired' && seen !== undefined && !seen.begun);
}

function attached(id: string, runId: string): CreatedTask {
  return { id, runId, warnings: [], attached: true };
}

/** Whether the holder was started with this very request, whatever its preflight makes of it. */
function isAsGiven(
  seen: SeenStart | undefined,
  wanted: NewTask,
  { type, memo }: WorkflowExecutionDescription,
): boolean {
  if (!seen?.given || wanted.plan || type !== wanted.ability || memo?.environment !== wanted.environment) return false;
  return digestOf(seen.given.input) === digestOf(wanted.input);
}

/** What the holder runs once its preflight has ended; undefined if it ended without one. */
async function formedBy(
  connection: Connection,
  workflowId: string,
  runId: string,
): Promise<TaskStart | 'given up' | undefined> {
  const run = { workflowId, runId };
  try {
    await awaitPreflight(connection, run);
  } catch (error) {
    if (error instanceof AbilityError) return 'given up';
    throw error;
  }
  return (await readStart(connection.temporal, connection.codec, run))?.begun;
}

/** @throws AbilityError `task.key_conflict` unless the request is that of the holder. */
async function refuseOther(
  id: string,
  wanted: NewTask,
  { type }: WorkflowExecutionDescription,
  holder: TaskStart | undefined,
): Promise<void> {
  if (!holder) throw keyConflict(id, 'a task whose request is not known');
  const { name: environment } = holder.plan.environment;
  if (type !== wanted.ability || environment !== wanted.environment) throw keyConflict(id, `${type} in ${environment}`);
  if (!isWantedPlan(wanted.plan, plansOf(holder))) throw keyConflict(id, `${type} with another plan`);
  if (digestOf(holder.input) === (await inputDigest(holder, wanted))) return;
  throw keyConflict(id, `${type} with another input`);
}

function keyConflict(id: string, what: string): AbilityError {
  return new AbilityError({
    code: 'task.key_conflict',
    message: `The key ${id} already belongs to ${what}`,
    suggestion: `Choose another key; \`ability task show ${id}\` shows what holds this one.`,
  });
}

function plansOf({ plan, seal }: TaskStart): { plan: string; unpinned?: string } {
  return { plan: seal.plan, ...(hasTools(plan) && { unpinned: planDigest(plan) }) };
}

/** Of the wanted input with the holder's defaults; undefined if it does not fit its schema. */
async function inputDigest({ plan }: TaskStart, { input }: NewTask): Promise<string | undefined> {
  const { taskInput } = await import('../../planning/resolve/check-parameters.js');
  try {
    return digestOf(taskInput(plan, input));
  } catch (error) {
    if (error instanceof AbilityError) return undefined;
    throw error;
  }
}
