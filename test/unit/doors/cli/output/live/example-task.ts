import type { StepSummary, TaskView } from '../../../../../../src/contracts/task.js';
import type { SeenNow } from '../../../../../../src/operations/watch-task.js';

/** The current time of the tests. */
export const NOW = Date.parse('2026-01-31T08:10:00.000Z');

/** A time before {@link NOW}, in ISO 8601. */
export function ago(seconds: number): string {
  return new Date(NOW - seconds * 1000).toISOString();
}

/** A step of a result. */
export function row(path: string, more: Partial<StepSummary> = {}): StepSummary {
  const id = path.slice(path.lastIndexOf('/') + 1);
  return { id, path, call: null, status: 'pending', attempts: 0, duration_ms: null, ...more };
}

/** An open task, as a command that waits for it sees it. */
export function openTask(view: Partial<TaskView>, more: Partial<Omit<SeenNow, 'view'>> = {}): SeenNow {
  return {
    view: {
      status: 'running',
      task_key: 'k',
      ability_id: 'nightly',
      version: 1,
      digest: '',
      environment: 'dev',
      output: null,
      error: null,
      warnings: [],
      steps: [],
      approvals: [],
      hooks: [],
      requested_by: { name: 'alice', source: 'claimed' },
      started_at: ago(72),
      finished_at: null,
      cleanup_ran: null,
      links: { temporal: null, page: null, record: null },
      created_at: ago(72),
      input: {},
      summary: '',
      progress: {},
      paused: false,
      ...view,
    },
    called: {},
    attempts: [],
    ...more,
  };
}
