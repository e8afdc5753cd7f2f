import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import { Admission } from '../../../src/activities/admission.js';
import { signSeal } from '../../../src/activities/seal.js';
import type { JsonObject } from '../../../src/contracts/json.js';
import { PLACEMENTS, taskQueueOf } from '../../../src/contracts/names.js';
import type { Plan } from '../../../src/contracts/plan.js';
import type { Seal } from '../../../src/contracts/seal.js';
import { digestOf } from '../../../src/rules/canonical.js';
import { sealMark } from '../../../src/rules/plans/plan-digest.js';

/** The keys that seal the tasks of these tests. */
export const KEYS = { keys: new Map([['k', Buffer.alloc(32, 1)]]) };
export const USER = { name: 'ada', source: 'claimed' } as const;
const RUN = { workflowId: 't-1', runId: 'r-1' };

/** Temporal's information about an attempt. */
export type ActivityInfo = NonNullable<ConstructorParameters<typeof MockActivityEnvironment>[0]>;

/** An environment to run one activity in, which prints nothing if the activity fails. */
export function activityEnvironment(info: ActivityInfo): MockActivityEnvironment {
  return new MockActivityEnvironment(info, { logger: new DefaultLogger('ERROR') });
}

/**
 * A task that passed preflight, as its activities see it.
 *
 * @param input under which it was sealed.
 * @param more other parts of its seal, such as its key.
 * @param trace of the request that made it.
 * @returns what the worker knows of it, the mark of its seal, and an environment to run its activities in.
 */
export function admittedTask(plan: Plan, input: JsonObject = {}, more: Partial<Seal> = {}, trace?: string) {
  const taskQueue = taskQueueOf(plan.project, plan.environment.name, plan.placement);
  const sealed = { plan: digestOf(plan), task: RUN.workflowId, input: digestOf(input), user: USER, confirmations: [] };
  const seal = signSeal({ ...sealed, ...more }, KEYS);
  const task = { seal, user: seal.user, session: seal.session ?? null, plan, ...(trace !== undefined && { trace }) };
  const run = { ...RUN, workflowId: seal.task };
  const start = { ...run, type: plan.ability.id, taskQueue, task };
  const chains = { has: async () => false, keep: async () => {} };
  return {
    plans: new Admission(
      plan.project,
      KEYS,
      async () => start,
      chains,
      () => PLACEMENTS,
    ),
    mark: sealMark(seal),
    environment: (info: ActivityInfo = {}) => activityEnvironment({ workflowExecution: run, taskQueue, ...info }),
  };
}

/** A task called by the task of a plan: it runs the workflow `inner`, and passed no preflight of its own. */
export function calledTask(plan: Plan) {
  const { mark } = admittedTask(plan);
  const taskQueue = taskQueueOf(plan.project, plan.environment.name, plan.placement);
  const sealed = { plan: digestOf(plan), task: RUN.workflowId, input: digestOf({}), user: USER, confirmations: [] };
  const task = { seal: signSeal(sealed, KEYS), user: USER, session: null, plan };
  const parent = { ...RUN, type: plan.ability.id, taskQueue, task };
  const run = { workflowId: `${RUN.workflowId}/sub`, runId: 'r-2' };
  const child = { ...run, type: 'inner', taskQueue, parent: RUN, task: { ...task, child: 'inner' } };
  const runs = [parent, child];
  const chains = { has: async () => false, keep: async () => {} };
  const readRun = async ({ runId }: { runId: string }) => runs.find((known) => known.runId === runId);
  return {
    plans: new Admission(plan.project, KEYS, readRun, chains, () => PLACEMENTS),
    mark,
    environment: (info: ActivityInfo = {}) => activityEnvironment({ workflowExecution: run, taskQueue, ...info }),
  };
}
