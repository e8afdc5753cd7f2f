import { AbilityError } from '../contracts/problem.js';
import { isEndState, type TaskState } from '../contracts/states.js';
import type { TaskMemo } from '../contracts/task.js';
import type { Session } from './connect.js';
import { asking } from './temporal-errors.js';

/** Which tasks to list. */
export interface ListFilter {
  status?: TaskState | undefined;
  ability?: string | undefined;
  environment?: string | undefined;
  limit: number;
}

/** One task in a list. Times are ISO 8601. */
export interface ListedTask {
  task_key: string;
  ability_id: string;
  status: TaskState;
  environment: string;
  requested_by: string;
  started_at: string;
  finished_at: string | null;
}

/**
 * Lists the tasks of a project, newest first; internal and direct ones are left out.
 *
 * Temporal's own status and the attribute are read together. Source: answers, 1 and 6.
 */
export async function listTasks(session: Session, filter: ListFilter): Promise<ListedTask[]> {
  return asking(session, async () => {
    const tasks: ListedTask[] = [];
    const { workflow } = session.temporal;
    for await (const execution of workflow.list({ query: queryOf(session.project, filter) })) {
      if (execution.workflowId.includes(':')) continue;
      const memo = (execution.memo ?? {}) as Partial<TaskMemo>;
      const attribute = execution.searchAttributes.AbilityStatus?.[0];
      const open = statusOf(execution.status.name, String(attribute ?? ''));
      const status = open === 'created' && (await wasRun(session, execution.workflowId)) ? 'running' : open;
      if (filter.status && status !== filter.status) continue;
      tasks.push({
        task_key: execution.workflowId,
        ability_id: execution.type,
        status,
        environment: memo.environment ?? '',
        requested_by: memo.requested_by ?? '',
        started_at: execution.startTime.toISOString(),
        finished_at: execution.closeTime?.toISOString() ?? null,
      });
      if (tasks.length >= filter.limit) break;
    }
    return tasks;
  });
}

function queryOf(project: string, { ability, environment }: ListFilter): string {
  const parts = [`AbilityProject = ${quoted(project)}`];
  if (ability !== undefined) parts.push(`WorkflowType = ${quoted(ability)}`);
  if (environment !== undefined) parts.push(`AbilityEnvironment = ${quoted(environment)}`);
  return parts.join(' AND ');
}

/** Temporal's query language has no escape for a quote inside quotes of the same kind. */
function quoted(text: string): string {
  if (/^[A-Za-z0-9_.-]+$/.test(text)) return `'${text}'`;
  throw new AbilityError({ code: 'usage.invalid', message: `${JSON.stringify(text)} cannot be a name here` });
}

/** Events of a task that was created and not run: its start, one workflow task, the timer of its expiry. */
const CREATED_EVENTS = 5;

/** Running a created task sets no attribute, since that would be an event for every one. */
async function wasRun(session: Session, id: string): Promise<boolean> {
  const { historyLength } = await session.temporal.workflow.getHandle(id).describe();
  return historyLength > CREATED_EVENTS;
}

/** An attribute that names an end wins; else Temporal's own end; else how the open task said it stands. */
function statusOf(temporal: string, attribute: string): TaskState {
  if (isEndState(attribute)) return attribute;
  switch (temporal) {
    case 'RUNNING':
      return attribute === 'created' || attribute === 'waiting_approval' ? attribute : 'running';
    case 'COMPLETED':
      return 'succeeded';
    case 'CANCELLED':
    case 'TERMINATED':
      return 'cancelled';
    default:
      return 'failed';
  }
}
