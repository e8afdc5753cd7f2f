import { preflightIdOf } from '../../contracts/names.js';
import { grpcErrorOf } from '../../server/temporal/grpc-error.js';
import { removePreflightActivities } from '../../server/temporal/preflight-activities.js';
import type { Connection } from '../connection/connect.js';
import { isUnknownWorkflow } from '../connection/temporal-errors.js';
import { findPreflight } from '../start/find-preflight.js';

const GONE_MS = 100;
const NOT_FOUND = 5;

/**
 * Deletes what Temporal keeps of a task that was refused before it was formed: its preflights, which hold its input.
 *
 * @returns false where there is none that has ended.
 */
export async function purgePreflight(connection: Connection, key: string, signal?: AbortSignal): Promise<boolean> {
  const found = await findPreflight(connection, key);
  if (found === undefined || found === 'running') return false;
  const { temporal, namespace, project } = connection;
  const id = preflightIdOf(key, project);
  const check = (): void => signal?.throwIfAborted();
  await removePreflightActivities(temporal, namespace, id, check);
  await removeWorkflows(connection, id, check);
  return true;
}

/** Preflights that were workflows, as on older servers: the newest run, until there is none. */
async function removeWorkflows({ temporal, namespace }: Connection, id: string, check: () => void): Promise<void> {
  for (;;) {
    try {
      const { runId } = await temporal.workflow.getHandle(id).describe();
      const workflowExecution = { workflowId: id, runId };
      await temporal.workflowService.deleteWorkflowExecution({ namespace, workflowExecution });
    } catch (error) {
      if (isUnknownWorkflow(error) || grpcErrorOf(error)?.code === NOT_FOUND) return;
      throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, GONE_MS));
    check();
  }
}
