import { type Client, isGrpcServiceError, ServiceError, WorkflowNotFoundError } from '@temporalio/client';
import type { Execution, Executions } from '../activities/dependencies.js';
import type { RunRef } from '../activities/task/runs.js';
import { WORKFLOWS } from '../contracts/names.js';
import { AbilityError } from '../contracts/problem.js';
import type { TaskMemo } from '../contracts/task.js';
import { grpcErrorOf } from '../server/temporal/grpc-error.js';
import { unlessNotFound } from './not-found.js';

const NOT_FOUND = 5;
const NOT_LET_IN = new Set([7, 16]);
const POLL_MS = 100;

export function taskExecutions(client: Client, namespace: string): Executions {
  return {
    find: (key) => find(client, key),
    async cancel(key) {
      await client.workflow.getHandle(key).cancel().catch(unlessMissing);
    },
    async remove(key, onProgress) {
      // The task's newest run is deleted last, since it leads to the others.
      const runs = (await runsOf(client, key)).reverse();
      for (const run of runs) {
        await deleteRun(client, namespace, run);
        onProgress();
      }
      for (const run of runs) await untilGone(client, run, onProgress);
    },
    async removeRefused(key, onProgress) {
      for (let run = await refusedRun(client, key); run; run = await refusedRun(client, key)) {
        await deleteRun(client, namespace, run);
        await untilGone(client, run, onProgress);
      }
    },
  };
}

async function deleteRun(client: Client, namespace: string, workflowExecution: RunRef): Promise<void> {
  await client.workflowService
    .deleteWorkflowExecution({ namespace, workflowExecution })
    .catch((error: unknown) => unlessMissing(asRefusal(workflowExecution.workflowId, error)));
}

/** The newest run of a key, if preflight refused it. */
async function refusedRun(client: Client, workflowId: string): Promise<RunRef | undefined> {
  const found = await client.workflow.getHandle(workflowId).describe().catch(unlessMissing);
  const isRefused = found?.status.name === 'FAILED' && found.searchAttributes.AbilityStatus?.[0] === 'unavailable';
  return isRefused ? { workflowId, runId: found.runId } : undefined;
}

/** A task is open while any task that it called is open. */
async function find(client: Client, key: string): Promise<Execution | undefined> {
  const found = await unlessNotFound(() => client.workflow.getHandle(key).describe());
  if (!found) return undefined;
  const { memo, status, searchAttributes } = found;
  const isTask = typeof memo?.ability === 'string';
  const isOpen = status.name === 'RUNNING' || (isTask && (await openChildren(client, key)) > 0);
  const project = searchAttributes.AbilityProject?.[0];
  return {
    isOpen,
    memo: isTask ? (memo as TaskMemo) : undefined,
    project: project === undefined ? undefined : String(project),
  };
}

async function openChildren(client: Client, key: string): Promise<number> {
  const { count } = await client.workflow.count(`WorkflowId STARTS_WITH '${key}/' AND ExecutionStatus = 'Running'`);
  return count;
}

/** All runs of a task, its called tasks and its notices; the task's newest run comes first. */
async function runsOf(client: Client, key: string): Promise<RunRef[]> {
  const runs = new Map<string, RunRef>();
  const known = new Set<string>();
  const waiting = [key];
  for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
    if (known.has(id)) continue;
    known.add(id);
    for (const { run, children } of await chainOf(client, id)) {
      runs.set(run.runId, run);
      waiting.push(...children);
    }
  }
  // Workflows that no history leads to: an earlier deletion was interrupted, or Temporal forgot the task first.
  for (const query of [`WorkflowId = '${key}' OR WorkflowId STARTS_WITH '${key}/'`, noticesOf(key)]) {
    for await (const { workflowId, runId } of client.workflow.list({ query })) {
      if (!runs.has(runId)) runs.set(runId, { workflowId, runId });
    }
  }
  return [...runs.values()];
}

/** Notices, which contain approvals, of a task and those it called. Deletion ends one still being delivered. */
function noticesOf(key: string): string {
  const ids = [`${key}:`, `${key}/`].map((start) => `WorkflowId STARTS_WITH 'notify:${start}'`);
  return `WorkflowType = '${WORKFLOWS.notify}' AND (${ids.join(' OR ')})`;
}

/** The runs of one workflow, the newest first, with the ids of the workflows that each called. */
async function chainOf(client: Client, workflowId: string): Promise<{ run: RunRef; children: string[] }[]> {
  const chain: { run: RunRef; children: string[] }[] = [];
  let runId: string | undefined = await newestRun(client, workflowId);
  while (runId !== undefined) {
    const events = await eventsOf(client, { workflowId, runId });
    if (!events) break;
    const children = events.flatMap(
      (event) => event.childWorkflowExecutionStartedEventAttributes?.workflowExecution?.workflowId ?? [],
    );
    chain.push({ run: { workflowId, runId }, children });
    runId = events[0]?.workflowExecutionStartedEventAttributes?.continuedExecutionRunId || undefined;
  }
  return chain;
}

async function eventsOf(client: Client, { workflowId, runId }: RunRef) {
  const handle = client.workflow.getHandle(workflowId, runId);
  const history = await handle.fetchHistory().catch(unlessMissing);
  return history && (history.events ?? []);
}

async function newestRun(client: Client, workflowId: string): Promise<string | undefined> {
  return (await client.workflow.getHandle(workflowId).describe().catch(unlessMissing))?.runId;
}

async function untilGone(client: Client, { workflowId, runId }: RunRef, onProgress: () => void): Promise<void> {
  const handle = client.workflow.getHandle(workflowId, runId);
  while ((await handle.describe().catch(unlessMissing)) !== undefined) {
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    onProgress();
  }
}

function unlessMissing(error: unknown): undefined {
  const cause = error instanceof ServiceError ? error.cause : error;
  const isMissing = error instanceof WorkflowNotFoundError || (isGrpcServiceError(cause) && cause.code === NOT_FOUND);
  if (!isMissing) throw error;
  return undefined;
}

/** The worker may lack the right to delete histories. */
function asRefusal(key: string, error: unknown): unknown {
  const refusal = grpcErrorOf(error);
  if (!refusal || !NOT_LET_IN.has(refusal.code)) return error;
  return new AbilityError(
    {
      code: 'task.delete_failed',
      message: `Temporal does not let the worker delete the history of ${key}: ${refusal.details}`,
      suggestion: 'Give the worker that right, or delete the workflow yourself.',
    },
    { cause: error },
  );
}
