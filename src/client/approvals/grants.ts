import { randomUUID } from 'node:crypto';
import { QueryNotRegisteredError, WorkflowNotFoundError, WorkflowUpdateFailedError } from '@temporalio/client';
import type { GrantView } from '../../contracts/grants.js';
import { GRANT_UPDATES, grantIdOf, QUERIES, WORKFLOWS } from '../../contracts/names.js';
import { AbilityError } from '../../contracts/problem.js';
import { projectOf } from '../../rules/tasks/task-refusals.js';
import type { Connection } from '../connection/connect.js';
import { keepingRuntime, withServer } from '../connection/keep-runtime.js';
import { asking, describeIfKnown } from '../connection/temporal-errors.js';
import { askWorker } from '../view/view-task.js';

const UPDATE_MS = 15_000;
const ID = /^[0-9a-f]{16}$/;

/**
 * What people have granted, the newest first. @param all also what has ended, while Temporal knows it. @throws AbilityError
 * `worker.unavailable`: only workers know the uses.
 */
export function listGrants(connection: Connection, all: boolean): Promise<GrantView[]> {
  const { project, temporal } = connection;
  const open = all ? '' : " AND ExecutionStatus = 'Running'";
  const query = `WorkflowType = '${WORKFLOWS.grant}' AND AbilityProject = '${project}'${open}`;
  return asking(connection, async () => {
    const seen: GrantView[] = [];
    for await (const { workflowId, runId, status, closeTime } of temporal.workflow.list({ query })) {
      const view = await askWorker<GrantView>(connection, workflowId, QUERIES.grant, runId).catch(unlessNone);
      if (!view) continue;
      const stopped = { ...view, status: 'stopped' as const, ended_at: closeTime?.toISOString() ?? null };
      const now = view.status === 'open' && status.name !== 'RUNNING' ? stopped : await withTask(connection, view);
      if (all || now.status === 'open') seen.push(now);
    }
    return seen;
  });
}

/** The workflow of a grant learns of the end of its task later; until then nothing can use it. */
async function withTask(connection: Connection, view: GrantView): Promise<GrantView> {
  if (view.status !== 'open' || view.for !== 'task') return view;
  const task = await describeIfKnown(connection, view.task);
  if (task?.status.name === 'RUNNING') return view;
  return { ...view, status: 'task_ended', ended_at: task?.closeTime?.toISOString() ?? null };
}

/** A workflow that no task has started, or one that Temporal has deleted meanwhile. */
function unlessNone(error: unknown): undefined {
  if (error instanceof QueryNotRegisteredError || error instanceof WorkflowNotFoundError) return undefined;
  throw error;
}

/**
 * Allows no further call. @param by who revokes it, a claim. @throws AbilityError `grant.not_found`, `grant.ended`,
 * `worker.unavailable`.
 */
export function revokeGrant(connection: Connection, id: string, by: string): Promise<GrantView> {
  const updateId = randomUUID();
  return asking(connection, async () => {
    if (!(await placeOfGrant(connection, id))) throw grantNotFound(id);
    const handle = connection.temporal.workflow.getHandle(grantIdOf(connection.project, id));
    const revoke = () =>
      handle.executeUpdate<GrantView, [{ by: string }]>(GRANT_UPDATES.revoke, { args: [{ by }], updateId });
    try {
      return await keepingRuntime(connection, () => connection.temporal.withDeadline(Date.now() + UPDATE_MS, revoke));
    } catch (error) {
      if (!(error instanceof WorkflowNotFoundError || error instanceof WorkflowUpdateFailedError)) throw error;
      const message = `The grant ${id} has ended, and allows nothing more`;
      throw new AbilityError({ code: 'grant.ended', message }, { cause: error });
    }
  });
}

/** The ability and the environment of a grant; undefined: this project has none of that id. */
export function placeOfGrant(
  connection: Connection,
  id: string,
): Promise<{ ability: string; environment: string } | undefined> {
  return withServer(connection, async () => {
    const found = ID.test(id) ? await describeIfKnown(connection, grantIdOf(connection.project, id)) : undefined;
    if (found?.type !== WORKFLOWS.grant || projectOf(found) !== connection.project) return undefined;
    const { granted, environment } = found.memo ?? {};
    return typeof granted === 'string' && typeof environment === 'string'
      ? { ability: granted, environment }
      : undefined;
  });
}

export function grantNotFound(id: string): AbilityError {
  return new AbilityError({
    code: 'grant.not_found',
    message: `There is no grant ${id}`,
    suggestion: 'Run `ability grants list` to see what is granted.',
  });
}
