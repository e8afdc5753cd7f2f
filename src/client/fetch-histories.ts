import { isGrpcServiceError, type WorkflowHandle } from '@temporalio/client';
import type { Session } from './connect.js';
import { openToRead } from './open-task.js';
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
      await openToRead(session, id);
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

/** Each run names the one it continues. */
async function runsOf(session: Session, id: string): Promise<FetchedHistory[]> {
  const newest = await session.temporal.workflow.getHandle(id).describe();
  const runs = [await fetchRun(session, id, newest.runId)];
  for (let runId = runBefore(runs); runId !== undefined; runId = runBefore(runs)) {
    const [earlier] = await fetchRun(session, id, runId).then((run) => [run], orForgotten);
    if (!earlier) break;
    runs.unshift(earlier);
  }
  return runs;
}

function runBefore([oldest]: FetchedHistory[]): string | undefined {
  const [first] = oldest?.history.events ?? [];
  return first?.workflowExecutionStartedEventAttributes?.continuedExecutionRunId || undefined;
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
