import type { TaskResult } from '../../contracts/task.js';
import { defined } from '../../text/defined.js';

/** The documented shape of a result; only `task show` has the details of a running task. */
export function shapeOf(result: TaskResult): TaskResult {
  const { waiting, rolled_back, not_undone, concurrency, changes, changes_left, project, agent } = result;
  return {
    status: result.status,
    task_key: result.task_key,
    ability_id: result.ability_id,
    version: result.version,
    digest: result.digest,
    environment: result.environment,
    output: result.output,
    error: result.error,
    warnings: result.warnings,
    steps: result.steps,
    approvals: result.approvals,
    hooks: result.hooks,
    requested_by: result.requested_by,
    started_at: result.started_at,
    finished_at: result.finished_at,
    cleanup_ran: result.cleanup_ran,
    ...defined({ rolled_back, not_undone }),
    links: result.links,
    ...defined({ concurrency, changes, changes_left, agent, waiting, project }),
  };
}
