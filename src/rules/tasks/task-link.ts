/**
 * Where the Temporal UI shows a workflow.
 *
 * @param ui address of the UI.
 * @param runId left out: its latest run.
 */
export function taskLink(ui: string, namespace: string, workflowId: string, runId?: string): string {
  const run = runId ? `/${encodeURIComponent(runId)}` : '';
  return `${ui.replace(/\/+$/, '')}/namespaces/${namespace}/workflows/${encodeURIComponent(workflowId)}${run}`;
}
