/** Where people see tasks; null: not known. */
export interface TaskPlaces {
  /** Address of the Temporal UI. */
  ui: string | null;
  /** Address of the page for people, without a path. */
  page: string | null;
}

export interface TaskLinks {
  temporal: string | null;
  page: string | null;
}

/** The links to a task, where its places are known. */
export function linksTo({ ui, page }: TaskPlaces, namespace: string, workflowId: string): TaskLinks {
  return { temporal: ui ? taskLink(ui, namespace, workflowId) : null, page: page ? pageLink(page, workflowId) : null };
}

function taskLink(ui: string, namespace: string, workflowId: string): string {
  return `${ui.replace(/\/+$/, '')}/namespaces/${namespace}/workflows/${encodeURIComponent(workflowId)}`;
}

/** @param key without it, the page itself. */
export function pageLink(page: string, key?: string): string {
  return key === undefined ? page : `${page}/tasks/${encodeURIComponent(key)}`;
}
