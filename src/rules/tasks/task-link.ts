/** @param ui address of the Temporal UI. @param runId default: the latest run. */
export function taskLink(ui: string, namespace: string, workflowId: string, runId?: string): string {
  const run = runId ? `/${encodeURIComponent(runId)}` : '';
  return `${ui.replace(/\/+$/, '')}/namespaces/${namespace}/workflows/${encodeURIComponent(workflowId)}${run}`;
}
