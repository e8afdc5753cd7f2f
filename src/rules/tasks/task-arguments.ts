import { isJsonObject } from '../../contracts/json.js';
import type { Plan } from '../../contracts/plan.js';
import type { Seal } from '../../contracts/seal.js';
import type { TaskStart } from '../../contracts/task.js';
import { defined } from '../../text/defined.js';
import { digestOf } from '../canonical.js';
import { knownDigestOf } from '../plans/known-digest.js';

/**
 * The second argument of a workflow: separate, so that the Temporal UI shows the input first, and so that the
 * payload codec can keep the plan small, most of a short task's history.
 */
export interface PackedPlan {
  $plan: Plan;
}

/** The first argument: everything but the plan, without redundant parts. */
export type StartArgument = Omit<TaskStart, 'plan' | 'seal' | 'session' | 'warnings'> &
  Partial<Pick<TaskStart, 'plan' | 'session' | 'warnings'>> & { seal: Pick<Seal, 'key_id' | 'mac'> & Partial<Seal> };

/** The arguments of a task workflow, as its history keeps them. The first tasks had the plan in the first. */
export type TaskArguments = [start: StartArgument, plan?: PackedPlan];

/**
 * A seal covers its neighbouring arguments, so that its signature suffices. A called task keeps its caller's whole
 * seal, which covers other values. Source: docs/architecture.md#the-cost-rule.
 */
export function packArguments({ plan, seal, session, warnings, ...rest }: TaskStart): [StartArgument, PackedPlan] {
  const start: StartArgument = {
    ...rest,
    seal: rest.child ? seal : bare(seal, rest.carried !== undefined),
    ...(session !== null && { session }),
    ...(warnings.length > 0 && { warnings }),
  };
  return [start, { $plan: plan }];
}

function bare(
  { key_id, mac, confirmations, progress, scope, caller, intent, run }: Seal,
  isCarried: boolean,
): StartArgument['seal'] {
  return {
    key_id,
    mac,
    ...defined({ scope, caller, intent, run }),
    ...(confirmations.length > 0 && { confirmations }),
    // `progress` of the arguments is the task's own by now; this is the sealed, reused one.
    ...(isCarried && progress !== undefined && { progress }),
  };
}

/** Rebuilds the seal from the actual arguments. @param task workflow id. @returns undefined for others. */
export function unpackArguments(args: readonly unknown[], task: string): TaskStart | undefined {
  const [start, packed] = args as Partial<TaskArguments>;
  const plan = packed?.$plan ?? start?.plan;
  if (!plan || !isStart(start)) return undefined;
  const { session = null, warnings = [], ...rest } = start;
  const { seal } = start;
  return {
    ...rest,
    plan,
    session,
    warnings,
    // A called task has its caller's seal: for the caller's input, but for the plan of both.
    seal: rest.child && isWhole(seal) ? { ...seal, plan: knownDigestOf(plan) } : sealOf(start, plan, task),
  };
}

function isStart(start: Partial<StartArgument> | undefined): start is StartArgument {
  return typeof start?.seal?.mac === 'string' && isJsonObject(start.user) && isJsonObject(start.input);
}

function isWhole(seal: Partial<Seal>): seal is Seal {
  return typeof seal.task === 'string' && typeof seal.plan === 'string';
}

function sealOf(start: StartArgument, plan: Plan, task: string): Seal {
  const { seal, input, user, session, progress, carried } = start;
  const taken = carried ? seal.progress : progress && digestOf(progress);
  const { key_id, mac, scope, caller, intent, run, confirmations = [] } = seal;
  return {
    plan: knownDigestOf(plan),
    task,
    input: digestOf(input),
    ...(taken !== undefined && { progress: taken }),
    user,
    ...(session && { session }),
    ...defined({ scope, caller, intent, run }),
    confirmations,
    key_id,
    mac,
  };
}
