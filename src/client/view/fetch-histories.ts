import type { WorkflowHandle } from '@temporalio/client';
import { isNotFound } from '../../server/temporal/grpc-error.js';
import type { Connection } from '../connection/connect.js';
import { runBefore } from '../connection/history-events.js';
import { asking, isUnknownWorkflow, taskNotFound } from '../connection/temporal-errors.js';
import { openToRead } from './open-task.js';

export interface FetchedHistory {
  workflowId: string;
  runId: string;
  history: Awaited<ReturnType<WorkflowHandle['fetchHistory']>>;
}

/**
 * All runs of a task, the first one first, then those of called tasks; without runs that Temporal has forgotten.
 * @throws AbilityError `task.not_found`, `temporal.unavailable`.
 */
export async function fetchHistories(connection: Connection, id: string): Promise<FetchedHistory[]> {
  return asking(connection, async () => {
    try {
      await openToRead(connection, id);
      return await withChildren(connection, id);
    } catch (error) {
      throw isUnknownWorkflow(error) ? taskNotFound(id, error) : error;
    }
  });
}

async function withChildren(connection: Connection, id: string): Promise<FetchedHistory[]> {
  const runs = await runsOf(connection, id);
  for (const child of runs.flatMap(childrenOf)) {
    runs.push(...(await withChildren(connection, child).catch(orForgotten)));
  }
  return runs;
}

/** Follows the chain of continued runs back to the first one that Temporal still has. */
async function runsOf(connection: Connection, id: string): Promise<FetchedHistory[]> {
  const before = (run?: FetchedHistory): string | undefined => runBefore(run?.history.events?.[0]);
  const newest = await connection.temporal.workflow.getHandle(id).describe();
  const runs = [await fetchRun(connection, id, newest.runId)];
  for (let runId = before(runs[0]); runId !== undefined; runId = before(runs[0])) {
    const [earlier] = await fetchRun(connection, id, runId).then((run) => [run], orForgotten);
    if (!earlier) break;
    runs.unshift(earlier);
  }
  return runs;
}

async function fetchRun(connection: Connection, workflowId: string, runId: string): Promise<FetchedHistory> {
  const history = await connection.temporal.workflow.getHandle(workflowId, runId).fetchHistory();
  return { workflowId, runId, history };
}

function childrenOf({ history }: FetchedHistory): string[] {
  return (history.events ?? []).flatMap(
    (event) => event.childWorkflowExecutionStartedEventAttributes?.workflowExecution?.workflowId ?? [],
  );
}

/** Temporal may have deleted a called task or an earlier run already. */
function orForgotten(error: unknown): FetchedHistory[] {
  if (isUnknownWorkflow(error) || isNotFound(error)) return [];
  throw error;
}
