import { statSync } from 'node:fs';
import type { Client } from '@temporalio/client';
import type { ProjectPaths } from '../server/project-paths.js';
import { attempt } from '../text/attempt.js';

/** Milliseconds since the last command of the project. */
export function sinceLastCommand(paths: ProjectPaths, started: number): number {
  // Perhaps no command has touched it yet.
  const touched = attempt(() => statSync(paths.touchFile).mtimeMs, started);
  return Date.now() - Math.max(started, touched);
}

/** Whether a task does more than wait, durably. */
export async function isExecuting(client: Client, project: string): Promise<boolean> {
  const open = `ExecutionStatus = 'Running' AND AbilityProject = '${project}'`;
  const waiting = `(AbilityStatus = 'waiting_approval' OR AbilityStatus = 'waiting' OR AbilityStatus = 'created')`;
  const { count } = await client.workflow.count(`${open} AND NOT ${waiting}`);
  if (count > 0) return true;
  // A created task keeps this attribute after it was run; only Temporal knows whether it has work.
  for await (const { workflowId, runId } of client.workflow.list({ query: `${open} AND AbilityStatus = 'created'` })) {
    const { raw } = await client.workflow.getHandle(workflowId, runId).describe();
    if ((raw.pendingActivities?.length ?? 0) > 0 || raw.pendingWorkflowTask) return true;
  }
  return false;
}
