import type { CheckFiringRequest, FindLinkRequest, ProveAnswer, ProveRequest } from '../../contracts/activities.js';
import type { Held } from '../../contracts/task-carried.js';
import { linksTo, type TaskPlaces } from '../../rules/tasks/task-link.js';
import type { ActivityDependencies } from '../dependencies.js';
import { activityOf } from '../failures.js';
import { notOfTask } from '../preflight/read-request.js';

/** Returns the link to the task on the page, else in the Temporal UI; null if neither is known. Only for sealed tasks. */
export function createFindLink({ plans, ...places }: Pick<ActivityDependencies, 'plans' | keyof TaskPlaces>) {
  return activityOf(async ({ seal }: FindLinkRequest, { info }): Promise<string | null> => {
    await plans.admit(seal, info);
    const { page, temporal } = linksTo(
      places,
      info.workflowNamespace ?? 'default',
      info.workflowExecution?.workflowId ?? '',
    );
    return page ?? temporal;
  });
}

/** Whether a firing that was begun ahead still takes place, as `whyNoFiring` says. Only for sealed tasks. */
export function createCheckFiring({ plans, whyNoFiring }: Pick<ActivityDependencies, 'plans' | 'whyNoFiring'>) {
  return activityOf(async ({ seal, schedule, since }: CheckFiringRequest, { info }): Promise<string | null> => {
    await plans.admit(seal, info);
    return whyNoFiring(schedule, since);
  });
}

/** Checks the proof of a decision, or whether proofs can be checked. Only for sealed tasks. */
export function createProve({ plans, proofs }: Pick<ActivityDependencies, 'plans' | 'proofs'>) {
  return activityOf(async ({ seal, decision, proof }: ProveRequest, { info }): Promise<ProveAnswer> => {
    await plans.admit(seal, info);
    const check = proofs();
    if (!check) return { able: false };
    if (!decision) return { able: true };
    const reason = proof ? check(decision, proof) : 'it brings no proof';
    return { able: true, ...(reason !== undefined && { reason }) };
  });
}

/** Lets this worker hold the MCP sessions of a task. @returns the queue that only it serves. */
export function createHold(dependencies: Pick<ActivityDependencies, 'hold'>): (request: null) => Promise<Held> {
  return activityOf((_, { info }) => {
    // Only a workflow of this worker asks for it this way, not anyone with the server's port.
    if (!info.isLocal) throw notOfTask();
    return dependencies.hold(info.taskQueue);
  });
}
