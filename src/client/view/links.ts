import { taskLink } from '../../rules/task-link.js';
import type { Connection } from '../connection/connect.js';

/** Where a task is shown in the Temporal UI; null where no UI is known. */
export function linkOf({ ui, namespace }: Connection, workflowId: string, runId?: string): string | null {
  return ui ? taskLink(ui, namespace, workflowId, runId) : null;
}
