import {
  type ScheduleDescription,
  type ScheduleExecutionStartWorkflowActionResult,
  WorkflowFailedError,
  type WorkflowHandle,
} from '@temporalio/client';
import type { Problem } from '../../contracts/problem.js';
import type { Firing, FiringRequest } from '../../contracts/schedules.js';
import { firingKey } from '../../rules/tasks/firing-key.js';
import type { Connection } from '../connection/connect.js';
import { isUnknownWorkflow, problemIn } from '../connection/temporal-errors.js';
import { describedState } from '../list/task-query.js';

/** The outcome of one firing. Times are ISO 8601. */
export interface FiredTask {
  scheduled_for: string;
  fired_at: string;
  task_key: string;
  /**
   * `open`: preflight or task not ended; `refused`: no task was made; `started before`: an earlier firing of the
   * same time started its task; `terminated`: the firing was ended from outside, which cancels its task;
   * `forgotten`: Temporal no longer has it; else the task's end state.
   */
  status: string;
  /** State of the task while the firing is open; null: no task yet, or the firing has ended. */
  task_status: string | null;
  /** Null unless preflight refused the task. */
  error: Pick<Problem, 'code' | 'message' | 'suggestion'> | null;
}

export function requestOf({ action }: ScheduleDescription): FiringRequest {
  const [request] = action.args ?? [];
  return request as FiringRequest;
}

/** The last firings of a schedule, the newest first. */
export async function readFirings(connection: Connection, description: ScheduleDescription): Promise<FiredTask[]> {
  const { schedule } = requestOf(description);
  const actions = description.info.recentActions.toReversed();
  return Promise.all(
    actions.map(async ({ scheduledAt, takenAt, action }) => {
      const task_key = firingKey(schedule.id, scheduledAt);
      const end = await endOf(connection, action.workflow);
      return {
        scheduled_for: scheduledAt.toISOString(),
        fired_at: takenAt.toISOString(),
        task_key,
        ...end,
        task_status: end.status === 'open' ? ((await describedState(connection, task_key)) ?? null) : null,
      };
    }),
  );
}

/** Of that very run: the same moment may have been fired again. */
async function endOf(
  connection: Connection,
  { workflowId, firstExecutionRunId }: ScheduleExecutionStartWorkflowActionResult['workflow'],
): Promise<Pick<FiredTask, 'status' | 'error'>> {
  const handle: WorkflowHandle<() => Promise<Firing>> = connection.temporal.workflow.getHandle(
    workflowId,
    firstExecutionRunId,
  );
  try {
    const { name } = (await handle.describe()).status;
    if (name === 'RUNNING') return { status: 'open', error: null };
    if (name === 'TERMINATED') return { status: 'terminated', error: null };
    const { status } = await handle.result();
    return { status: status ?? 'started before', error: null };
  } catch (error) {
    if (isUnknownWorkflow(error)) return { status: 'forgotten', error: null };
    if (!(error instanceof WorkflowFailedError)) throw error;
    const problem = problemIn(error.cause);
    if (!problem) return { status: 'cancelled', error: null };
    const { code, message, suggestion } = problem;
    return { status: 'refused', error: { code, message, ...(suggestion !== undefined && { suggestion }) } };
  }
}
