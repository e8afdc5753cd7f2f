import type { Client } from '@temporalio/client';
import { QUERIES } from '../contracts/names.js';
import type { Notice, SentNotices } from '../contracts/notices.js';
import type { TaskView } from '../contracts/task.js';
import type { SeenApproval } from '../rules/tasks/shown-approvals.js';
import { unlessNotFound } from './not-found.js';

const QUERY_MS = 3000;
/** The maximum number of recent tasks to search. */
const MAX_LOOKED_AT = 10;

/** What became of a notice so far; undefined: Temporal knows none of this id. */
export function findSent(client: Client, notice: string): Promise<SentNotices | undefined> {
  const handle = client.workflow.getHandle(`notify:${notice}`);
  return unlessNotFound(() =>
    client.withDeadline(Date.now() + QUERY_MS, () => handle.query<SentNotices>(QUERIES.sent)),
  );
}

/** Approvals of other recent tasks of the same ability and environment. @throws if not all of them could be read. */
export async function recentApprovals(
  client: Client,
  project: string,
  { task_key: own, ability, environment }: Pick<Notice, 'task_key' | 'ability' | 'environment'>,
): Promise<SeenApproval[]> {
  const query = `AbilityProject = '${project}' AND AbilityEnvironment = '${environment}' AND WorkflowType = '${ability}' AND AbilityStatus != 'unavailable' AND ExecutionStatus != 'ContinuedAsNew'`;
  const keys: string[] = [];
  for await (const { workflowId } of client.workflow.list({ query, pageSize: MAX_LOOKED_AT + 1 })) {
    if (workflowId !== own) keys.push(workflowId);
    if (keys.length === MAX_LOOKED_AT) break;
  }
  const seen = await client.withDeadline(Date.now() + QUERY_MS, () =>
    Promise.all(
      keys.map(async (task_key) => {
        const { approvals } = await client.workflow.getHandle(task_key).query<TaskView>(QUERIES.task);
        return approvals.map((approval) => ({ task_key, approval }));
      }),
    ),
  );
  return seen.flat();
}
