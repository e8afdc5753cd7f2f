import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';
import { SIGNALS } from '../../contracts/names.js';
import { AbilityError } from '../../contracts/problem.js';
import type { TaskMemo, TaskRequest } from '../../contracts/task.js';
import { isWantedPlan } from '../../rules/plans/wanted-plan.js';
import { keyOfOther } from '../../rules/tasks/other-project.js';
import type { Connection } from '../connection/connect.js';
import { describeIfKnown, isUnknownWorkflow } from '../connection/temporal-errors.js';
import { otherProjectOf } from '../view/open-task.js';

const STATUS = defineSearchAttributeKey('AbilityStatus', SearchAttributeType.KEYWORD);

/**
 * Checks that the key belongs to this same task, and runs it if it only waits to be run. @param input digest of
 * the input, with defaults. @returns its run; undefined if it no longer exists.
 * @throws AbilityError `task.key_conflict`, `task.other_project`.
 */
export async function attachTask(
  connection: Connection,
  request: TaskRequest,
  input: string,
  run: boolean,
): Promise<string | undefined> {
  const { task: id, ability, environment } = request;
  const description = await describeIfKnown(connection, id);
  if (!description) return undefined;
  const project = otherProjectOf(connection, description);
  if (project !== undefined) throw keyOfOther(id, project, connection.project);
  const { memo, runId, status, typedSearchAttributes } = description;
  const held = (memo ?? {}) as Partial<TaskMemo>;
  const isPlanned = isWantedPlan(request.plan, { ...held, plan: held.plan ?? '' });
  if (held.ability !== ability || held.environment !== environment || held.input !== input || !isPlanned) {
    throw new AbilityError({
      code: 'task.key_conflict',
      message: `The key ${id} already belongs to ${held.ability ?? 'a workflow that is no task'}${isPlanned ? '' : ' with another plan'}`,
      suggestion: `Choose another key; \`ability task show ${id}\` shows what holds this one.`,
    });
  }
  const waits = status.name === 'RUNNING' && typedSearchAttributes.get(STATUS) === 'created';
  if (!run || !waits) return runId;
  try {
    // Signals the run that was checked; a change of the input would have replaced it.
    await connection.temporal.workflow.getHandle(id, runId).signal(SIGNALS.run);
    return runId;
  } catch (error) {
    if (isUnknownWorkflow(error)) return attachTask(connection, request, input, run);
    throw error;
  }
}
