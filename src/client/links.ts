import type { Session } from './connect.js';

/** Where a task is shown in the Temporal UI; null where no UI is known. */
export function linkOf(session: Session, workflowId: string, runId?: string): string | null {
  if (!session.ui) return null;
  const run = runId ? `/${encodeURIComponent(runId)}` : '';
  return `${session.ui}/namespaces/${session.namespace}/workflows/${encodeURIComponent(workflowId)}${run}`;
}
