import { isGrpcServiceError, type WorkflowHandle } from '@temporalio/client';
import type { Session } from './connect.js';
import { asking, isUnknownWorkflow, taskNotFound } from './temporal-errors.js';

/** One run of a task, with all its events. */
export interface FetchedHistory {
  workflowId: string;
  runId: string;
  history: Awaited<ReturnType<WorkflowHandle['fetchHistory']>>;
}

/**
 * Fetches all runs of a task, the first one first, and those of the tasks it called, which stand behind it.
 *
 * Runs that Temporal has forgotten are left out.
 *
 * @throws AbilityError `task.not_found`, `temporal.unavailable`.
 */
export async function fetchHistories(session: Session, id: string): Promise<FetchedHistory[]> {
  return asking(session, async () => {
    try {
      return await withChildren(session, id);
    } catch (error) {
      throw isUnknownWorkflow(error) ? taskNotFound(id, error) : error;
    }
  });
}

async function withChildren(session: Session, id: string): Promise<FetchedHistory[]> {
  const runs = await runsOf(session, id);
  for (const child of runs.flatMap(childrenOf)) {
    runs.push(...(await withChildren(session, child).catch(orForgotten)));
  }
  return runs;
}

/** Runs end with the newest; each names the one it continues. */
async function runsOf(session: Session, id: string): Promise<FetchedHistory[]> {
  const { workflow } = session.temporal;
  const newest = await workflow.getHandle(id).describe();
  const runs: FetchedHistory[] = [];
  for (let runId: string | undefined = newest.runId; runId !== undefined; ) {
    const fetched: FetchedHistory | undefined = await fetchRun(session, id, runId).catch((error: unknown) => {
      if (runs.length === 0) throw error;
      return orForgotten(error)[0];
    });
    if (!fetched) break;
    runs.unshift(fetched);
    const [first] = fetched.history.events ?? [];
    runId = first?.workflowExecutionStartedEventAttributes?.continuedExecutionRunId || undefined;
  }
  return runs;
}

async function fetchRun(session: Session, workflowId: string, runId: string): Promise<FetchedHistory> {
  const history = await session.temporal.workflow.getHandle(workflowId, runId).fetchHistory();
  return { workflowId, runId, history };
}

function childrenOf({ history }: FetchedHistory): string[] {
  return (history.events ?? []).flatMap(
    (event) => event.childWorkflowExecutionStartedEventAttributes?.workflowExecution?.workflowId ?? [],
  );
}

const NOT_FOUND = 5;

/** Temporal may have forgotten a child or an earlier run already. */
function orForgotten(error: unknown): FetchedHistory[] {
  const isForgotten = isUnknownWorkflow(error) || (isGrpcServiceError(error) && error.code === NOT_FOUND);
  if (isForgotten) return [];
  throw error;
}
