import {
  CancellationScope,
  ChildWorkflowCancellationType,
  ParentClosePolicy,
  proxyActivities,
  startChild,
  workflowInfo,
} from '@temporalio/workflow';
import type { Approval, Granted } from '../../contracts/approvals.js';
import type {
  FindGrantRequest,
  FoundGrant,
  GrantedCall,
  SealedGrant,
  SealGrantRequest,
  UseGrantRequest,
} from '../../contracts/grants.js';
import type { JsonObject } from '../../contracts/json.js';
import { ACTIVITIES, grantIdOf, WORKFLOWS } from '../../contracts/names.js';
import { digestOf } from '../../rules/canonical.js';
import type { GrantedByPeople } from '../../rules/tasks/decision-form.js';
import { localActivity } from '../calls/local-activities.js';
import { personOf } from '../reports/report-audit.js';
import { messageOf } from '../steps/step-failure.js';
import type { TaskRun } from '../task/task-run.js';

/** What a grant of a call may be for; undefined: the environment allows none. */
export function grantableFor({ task }: TaskRun): Approval['grants'] {
  if (!task.plan.environment.grants) return undefined;
  return task.start.session === null ? ['task'] : ['task', 'session'];
}

/**
 * Lets a grant decide in place of people. @returns undefined if people must be asked, also if no one can say whether there
 * is one.
 */
export async function useGrant(run: TaskRun, approval: Approval): Promise<Granted | undefined> {
  try {
    return await asWork(run, async () => {
      const find = localActivity<FindGrantRequest, FoundGrant | null>(ACTIVITIES.findGrant);
      const input = approval.what.input as JsonObject;
      const found = await find({ ...run.task.context, ...ofCall(run, approval), input });
      if (!found) return undefined;
      const { workflowId, runId, ...grant } = found;
      const of = { task_key: run.task.id, approval_id: approval.id };
      // The id of the approval recurs if it is raised again, but not its time.
      const { path, raised_at: at } = approval;
      const use = { ...of, id: digestOf({ ...of, path, at, run: workflowInfo().firstExecutionRunId }) };
      // No local activity: the grant may wait for the worker of this very workflow task.
      const { [ACTIVITIES.useGrant]: count } = proxyActivities<{
        [ACTIVITIES.useGrant](request: UseGrantRequest): Promise<number | null>;
      }>({ scheduleToCloseTimeout: '60s', startToCloseTimeout: '20s', summary: grant.by });
      const used = await count({ ...run.task.context, grant: { workflowId, runId }, use });
      return used === null ? undefined : { ...grant, use: used };
    });
  } catch (error) {
    run.warnings.add(
      `People were asked, since no one could say whether "${approval.title}" is granted: ${messageOf(error)}`,
    );
    return undefined;
  }
}

/**
 * Whether to look for a grant, which adds an event: a task without a session that calls no task, and was not called, knows
 * all grants for it.
 */
export function mayBeGranted({ task, approvals }: TaskRun, { grants }: Approval): boolean {
  const { session, child, plan } = task.start;
  if (!grants) return false;
  const isKnown = session === null && child === undefined && plan.workflows === undefined;
  return !isKnown || approvals.list.some(({ grant_id }) => grant_id !== undefined);
}

/** Starts the grant that came of an approval; a failure is a warning, and the call goes on. */
export async function startGrant(run: TaskRun, approval: Approval, { ms, ...grant }: GrantedByPeople): Promise<void> {
  try {
    await asWork(run, async () => {
      const seal = localActivity<SealGrantRequest, SealedGrant>(ACTIVITIES.sealGrant);
      const by = approval.decisions.map((decision) => decision.by);
      const expires_at = new Date(Date.now() + ms).toISOString();
      const from = { by, expires_at, task_key: run.task.id, approval_id: approval.id };
      const sealed = await seal({ ...run.task.context, ...ofCall(run, approval), grant: { ...grant, ...from } });
      const { project, bound, id, ability, environment, for: whom, up_to } = sealed;
      const attributes = workflowInfo().typedSearchAttributes.getAll();
      await startChild(WORKFLOWS.grant, {
        args: [sealed],
        workflowId: grantIdOf(project, bound),
        // One that is still open is of fewer calls, or of others; this is what people decided last.
        workflowIdReusePolicy: 'TERMINATE_IF_RUNNING',
        parentClosePolicy: ParentClosePolicy.ABANDON,
        cancellationType: ChildWorkflowCancellationType.ABANDON,
        memo: { granted: ability, environment },
        typedSearchAttributes: attributes.filter(({ key }) => OF_GRANT.has(key.name)),
        staticSummary: `up to ${up_to} calls of ${ability} for the ${whom}`,
      });
      approval.grant_id = id;
      const result = `${id}: ${up_to} calls of the ${whom}`;
      run.audit.decided('granted', approval, { result, ...personOf(by[0] ?? 'unnamed') });
      run.approvals.granted += 1;
    });
  } catch (error) {
    run.warnings.add(
      `"${approval.title}" was approved for this call alone, since its grant could not be made: ${messageOf(error)}`,
    );
  }
}

const OF_GRANT: ReadonlySet<string> = new Set(['AbilityProject', 'AbilityEnvironment', 'AbilitySession']);

function ofCall({ input }: TaskRun, { reasons, what }: Approval): GrantedCall {
  const undo = what.undo ? { operation: what.undo.ability, asks: what.undo.approval !== undefined } : null;
  return { operation: what.ability, undo, reasons, changed_by: input.changedBy };
}

/** The run does not end, nor go on as a new one, in between. */
async function asWork<T>({ life }: TaskRun, action: () => Promise<T>): Promise<T> {
  life.pendingWork += 1;
  try {
    return await CancellationScope.nonCancellable(action);
  } finally {
    life.pendingWork -= 1;
  }
}
