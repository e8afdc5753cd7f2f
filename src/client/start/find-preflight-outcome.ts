import { ActivityExecutionFailedError, ActivityNotFoundError, WorkflowFailedError } from '@temporalio/client';
import { preflightIdOf } from '../../contracts/names.js';
import type { PreflightAnswer } from '../../contracts/task.js';
import { isUnimplemented } from '../../server/temporal/grpc-error.js';
import type { Connection } from '../connection/connect.js';
import { describeIfKnown } from '../connection/temporal-errors.js';

interface KnownPreflight {
  /** Milliseconds since 1970. */
  began: number;
  isRunning: boolean;
  result: () => Promise<PreflightAnswer>;
}

/** A key's last preflight: an activity or, on older servers, a workflow. @returns undefined if unknown. */
export async function findPreflight(
  connection: Connection,
  key: string,
  project: string = connection.project,
): Promise<PreflightOutcome | 'running' | undefined> {
  const id = preflightIdOf(key, project);
  const found = await Promise.all([findActivity(connection, id), findWorkflow(connection, id)]);
  const last = found.filter((one) => one !== undefined).sort((a, b) => b.began - a.began)[0];
  return last && (last.isRunning ? 'running' : outcomeOf(last.result));
}

async function findActivity({ temporal }: Connection, id: string): Promise<KnownPreflight | undefined> {
  try {
    const { activityRunId, scheduleTime, status } = await temporal.activity.getHandle(id).describe();
    const handle = temporal.activity.getHandle<PreflightAnswer>(id, activityRunId);
    return { began: Number(scheduleTime), isRunning: status === 'RUNNING', result: () => handle.result() };
  } catch (error) {
    if (error instanceof ActivityNotFoundError || isUnimplemented(error)) return undefined;
    throw error;
  }
}

async function findWorkflow(connection: Connection, id: string): Promise<KnownPreflight | undefined> {
  const found = await describeIfKnown(connection, id);
  if (!found) return undefined;
  const { runId, startTime, status } = found;
  const handle = connection.temporal.workflow.getHandle<() => Promise<PreflightAnswer>>(id, runId);
  return { began: Number(startTime), isRunning: status.name === 'RUNNING', result: () => handle.result() };
}

export type PreflightOutcome = { answer: PreflightAnswer } | { failure: Error };

/** Waits for the end of a preflight, an activity or a workflow. @throws errors of the wait. */
export async function outcomeOf(result: () => Promise<PreflightAnswer>): Promise<PreflightOutcome> {
  try {
    return { answer: await result() };
  } catch (error) {
    if (error instanceof ActivityExecutionFailedError || error instanceof WorkflowFailedError)
      return { failure: error };
    throw error;
  }
}
