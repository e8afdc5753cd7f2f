import { type ScheduleDescription, WorkflowFailedError } from '@temporalio/client';
import type { JsonObject } from '../../contracts/json.js';
import type { Problem } from '../../contracts/problem.js';
import type { ScheduleMemo, ScheduleSpec } from '../../contracts/schedules.js';
import type { ListedState } from '../../contracts/states.js';
import type { TaskMemo, TaskOptions } from '../../contracts/task.js';
import { readMisses } from '../../server/store/known-misses.js';
import type { Connection } from '../connection/connect.js';
import { describeIfKnown } from '../connection/temporal-errors.js';
import { stateOf } from '../list/task-query.js';
import { refusalOf } from '../start/await-preflight.js';

/** One firing, which is a task. Times are ISO 8601. */
export interface FiredTask {
  scheduled_for: string;
  fired_at: string;
  task_key: string;
  /**
   * `open`: the task has not ended; `refused`: preflight refused it; `terminated`: ended from outside; `forgotten`:
   * Temporal no longer has it; else the task's end state.
   */
  status: string;
  /** State of the task while it is open; null: it has ended. */
  task_status: string | null;
  /** Null unless preflight refused the task. */
  error: Pick<Problem, 'code' | 'message' | 'suggestion'> | null;
}

/** `status`: that of a {@link FiredTask}, or `missed`. `at`: when it fired, or when it was seen to be missed. */
export interface LastFiring extends Pick<FiredTask, 'status' | 'error'> {
  at: string;
  /** How much later than scheduled it fired, jitter left out. Seconds. */
  late_seconds: number;
  task_key: string | null;
}

/** A schedule as it was stated: what its tasks are started with, and what their memo keeps of it. */
export function specOf({ action }: ScheduleDescription, id: string): { spec: ScheduleSpec; stated_in: string | null } {
  const [input, options] = (action.args ?? []) as [JsonObject, TaskOptions?];
  const { environment, schedule } = (action.memo ?? {}) as TaskMemo & { schedule: ScheduleMemo };
  const { stated_in = null, ...times } = schedule;
  const { intent } = options ?? {};
  const spec = { id, ability: action.workflowType, environment, input, ...times };
  return { spec: { ...spec, ...(intent !== undefined && { intent }) }, stated_in };
}

/** Whether its tasks are ours, and not those of a schedule that somebody else made under such a name. */
export function isOurs({ action }: ScheduleDescription): boolean {
  return action.memo?.schedule !== undefined;
}

/** The last firings of a schedule, the newest first. */
export async function readFirings(
  connection: Connection,
  { info }: ScheduleDescription,
  limit = Number.POSITIVE_INFINITY,
): Promise<FiredTask[]> {
  const actions = info.recentActions.toReversed().slice(0, limit);
  return Promise.all(
    actions.map(async ({ scheduledAt, takenAt, action }) => ({
      scheduled_for: scheduledAt.toISOString(),
      fired_at: takenAt.toISOString(),
      task_key: action.workflow.workflowId,
      ...(await stateOfTask(connection, action.workflow.workflowId)),
    })),
  );
}

/** A firing that was missed after the newest task counts as the last one. */
export async function lastOf(
  { store, project }: Connection,
  { info }: ScheduleDescription,
  { id, jitter_ms, catch_up_ms }: ScheduleSpec,
  [last]: readonly FiredTask[],
): Promise<LastFiring | null> {
  const misses = await readMisses(store, project, id, info.createdAt.toISOString());
  if (misses && !(last && last.fired_at > misses.at)) {
    return { status: 'missed', error: null, at: misses.at, late_seconds: 0, task_key: null };
  }
  if (!last) return null;
  const { status, error, fired_at: at, scheduled_for, task_key } = last;
  const lateMs = Math.max(0, Date.parse(at) - Date.parse(scheduled_for) - jitter_ms);
  // Beyond its catch-up, it is a backfill.
  return { status, error, at, late_seconds: lateMs > catch_up_ms ? 0 : Math.round(lateMs / 1000), task_key };
}

async function stateOfTask(
  connection: Connection,
  id: string,
): Promise<Pick<FiredTask, 'status' | 'task_status' | 'error'>> {
  const found = await describeIfKnown(connection, id);
  if (!found) return { status: 'forgotten', task_status: null, error: null };
  const state: ListedState = stateOf(found);
  if (found.status.name === 'RUNNING') return { status: 'open', task_status: state, error: null };
  if (found.status.name === 'TERMINATED') return { status: 'terminated', task_status: null, error: null };
  if (state !== 'unavailable') return { status: state, task_status: null, error: null };
  return { status: 'refused', task_status: null, error: await refusalIn(connection, id) };
}

async function refusalIn({ temporal }: Connection, id: string): Promise<FiredTask['error']> {
  try {
    await temporal.workflow.getHandle(id).result();
    return null;
  } catch (error) {
    const refusal = error instanceof WorkflowFailedError ? refusalOf(error.cause) : undefined;
    if (!refusal) throw error;
    const { code, message, suggestion } = refusal;
    return { code, message, ...(suggestion !== undefined && { suggestion }) };
  }
}
