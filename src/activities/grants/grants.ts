import { ApplicationFailure, type Info } from '@temporalio/activity';
import type { GrantFor } from '../../contracts/approvals.js';
import type {
  FindGrantRequest,
  FoundGrant,
  GrantBinding,
  GrantedCall,
  GrantStart,
  SealedGrant,
  SealGrantRequest,
  UseGrantRequest,
} from '../../contracts/grants.js';
import { isJsonObject } from '../../contracts/json.js';
import { grantIdOf, WORKFLOWS } from '../../contracts/names.js';
import type { PlanOperation } from '../../contracts/plan.js';
import { AbilityError, reasonOf } from '../../contracts/problem.js';
import { digestOf } from '../../rules/canonical.js';
import { isGranted } from '../../rules/tasks/grants.js';
import { rootOf } from '../../rules/tasks/task-ids.js';
import type { Admitted } from '../admission.js';
import type { ActivityDependencies } from '../dependencies.js';
import { activityOf, taskOf, toFailure } from '../failures.js';
import { isSignedBy, sealInvalid, sign } from '../seal.js';
import type { RunRef } from '../task/runs.js';
import type { GrantAccess } from './grant-access.js';

/** Separates signatures of grants from those of task seals. */
const PREFIX = 'grant\n';

type GrantDependencies = Pick<ActivityDependencies, 'project' | 'plans' | 'keys' | 'grants'>;

/**
 * Seals what people have granted with an approval of the requesting task. @throws AbilityError `seal.invalid`,
 * `seal.no_key`, `session.stopped`.
 */
export function createSealGrant({ project, plans, keys, grants }: GrantDependencies) {
  return activityOf(async ({ seal, grant, ...call }: SealGrantRequest, { info }): Promise<SealedGrant> => {
    const admitted = await plans.admit(seal, info);
    const parent = runOf(info);
    const own = await grants.readFirst(parent);
    // Whoever resets a task could have it count again.
    if (!own || own.isReset) throw sealInvalid('A task that was reset grants nothing');
    if (!admitted.plan.environment.grants) throw sealInvalid('The sealed plan allows no grant');
    const bound = digestOf(await bindingOf(admitted, grant.for, call, grants));
    const { name: environment } = admitted.plan.environment;
    const start: GrantStart = {
      ...grant,
      format: 1,
      project,
      id: bound.slice(0, 16),
      bound,
      ability: call.operation,
      environment,
      task: rootOf(admitted.seal.task),
      run: admitted.rootRun,
      session: admitted.session,
      reasons: call.reasons,
      parent,
    };
    return sign(start, keys, 'seal a grant', PREFIX);
  });
}

/**
 * Looks for a grant for a call: by the digest of what it would be bound to, so that another byte finds none. @returns null
 * without one that a worker has sealed and a task of the project has started.
 */
export function createFindGrant(dependencies: GrantDependencies) {
  const { project, plans, grants } = dependencies;
  return activityOf(
    async ({ seal, input, ...call }: FindGrantRequest, { info }): Promise<FoundGrant | null> => {
      const admitted = await plans.admit(seal, info);
      for (const whom of admitted.session === null ? (['task'] as const) : (['task', 'session'] as const)) {
        const binding = await bindingOf(admitted, whom, call, grants).catch(unlessSessionEnded);
        if (!binding) continue;
        const bound = digestOf(binding);
        const run = await grants.findOpen(grantIdOf(project, bound));
        const start = run && (await readGrant(run, bound, dependencies));
        if (!start || start.for !== whom || !isGranted(start, { reasons: call.reasons, input })) continue;
        const { id: by, task_key, approval_id, up_to: of } = start;
        return { ...run, by, task_key, approval_id, of };
      }
      return null;
    },
    { toError: toGrantFailure },
  );
}

/** Counts a use of a grant that this task has found. @returns its number; null: the grant has ended meanwhile. */
export function createUseGrant({ plans, grants }: Pick<GrantDependencies, 'plans' | 'grants'>) {
  return activityOf(
    async ({ seal, grant, use }: UseGrantRequest, context): Promise<number | null> => {
      await plans.admit(seal, context.info);
      if (use.task_key !== taskOf(context)) throw sealInvalid('A task uses a grant for itself only');
      return grants.use(grant, use);
    },
    { toError: toGrantFailure },
  );
}

/** What fails for another reason than ours may succeed with the next attempt. */
function toGrantFailure(error: unknown): Error {
  if (error instanceof AbilityError) return toFailure(error);
  return ApplicationFailure.create({ type: 'temporal.unavailable', message: reasonOf(error) });
}

function runOf({ workflowExecution: run }: Pick<Info, 'workflowExecution'>): RunRef {
  // No message of the SDK: the canonical form of those is another one.
  if (run) return { workflowId: run.workflowId, runId: run.runId };
  throw sealInvalid('Only a task asks for a grant');
}

/** @throws AbilityError `seal.invalid` for a call that the plan does not have; `session.stopped`, `session.not_found`. */
async function bindingOf(
  { plan, seal, session, rootRun }: Admitted,
  whom: GrantFor,
  { operation, undo, changed_by }: GrantedCall,
  grants: Pick<GrantAccess, 'firstRunOf'>,
): Promise<GrantBinding> {
  const planned = (key: string): PlanOperation => {
    const found = Object.hasOwn(plan.operations, key) ? plan.operations[key] : undefined;
    if (found) return found;
    throw sealInvalid(`The sealed plan of ${seal.task} does not call ${key}`);
  };
  if (whom === 'session' && session === null) throw sealInvalid(`${seal.task} belongs to no session`);
  return {
    format: 1,
    project: plan.project,
    scope:
      whom === 'task' || session === null
        ? { task: seal.task, run: rootRun }
        : { session, run: await grants.firstRunOf(session), user: seal.user, caller: seal.caller ?? null },
    operation: planned(operation),
    undo: undo && { operation: planned(undo.operation), asks: undo.asks },
    environment: plan.environment,
    changed_by,
  };
}

function unlessSessionEnded(error: unknown): undefined {
  const isEnded = error instanceof AbilityError && /^session\.(stopped|not_found)$/.test(error.code);
  if (!isEnded) throw error;
  return undefined;
}

/**
 * What a grant allows, if a worker of the project has sealed it for exactly this, the run that it names has started it, and
 * our code counts its uses since its beginning: anyone who reaches Temporal can start a workflow under its id, with the
 * arguments of another one, or reset it. @returns undefined for any other workflow.
 */
async function readGrant(
  run: RunRef,
  bound: string,
  { project, plans, keys: { keys }, grants }: GrantDependencies,
): Promise<GrantStart | undefined> {
  const first = await grants.readFirst(run);
  if (first?.type !== WORKFLOWS.grant || first.eager || first.first !== undefined || first.isReset) return undefined;
  const { argument, parent, taskQueue } = first;
  if (!isJsonObject(argument) || typeof argument.mac !== 'string' || typeof argument.key_id !== 'string')
    return undefined;
  const start = argument as unknown as SealedGrant;
  const secret = keys.get(start.key_id);
  if (!secret || !isSignedBy(start, secret, PREFIX) || start.project !== project || start.bound !== bound)
    return undefined;
  const isStarted = parent?.workflowId === start.parent.workflowId && parent.runId === start.parent.runId;
  return isStarted && plans.queuesOf(start.environment).includes(taskQueue) ? start : undefined;
}
