import { preflightIdOf, WORKFLOWS } from '../../contracts/names.js';
import type { PreflightAnswer, TaskRequest } from '../../contracts/task.js';
import type { Connection } from '../connection/connect.js';
import { outcomeOf, type PreflightOutcome } from './find-preflight-outcome.js';

export const PREFLIGHT_LIMIT = '60s';

/** Starts a preflight as workflow, or joins a running one with the same key. */
export async function startAsWorkflow(
  connection: Connection,
  request: TaskRequest,
  taskQueue: string,
): Promise<{ id: string; outcome: () => Promise<PreflightOutcome> }> {
  const id = preflightIdOf(request.task, connection.project);
  const handle = await connection.temporal.workflow.start<(request: TaskRequest) => Promise<PreflightAnswer>>(
    WORKFLOWS.preflight,
    {
      workflowId: id,
      taskQueue,
      args: [request],
      workflowExecutionTimeout: PREFLIGHT_LIMIT,
      workflowIdConflictPolicy: 'USE_EXISTING',
      workflowIdReusePolicy: 'ALLOW_DUPLICATE',
      staticSummary: summaryOf(request),
    },
  );
  return { id, outcome: () => outcomeOf(() => handle.result()) };
}

export function summaryOf({ ability }: TaskRequest): string {
  return `preflight of ${ability}`;
}
