// The way of a request: guard-creation.ts (`resolveWanted`: plan, then input), task-key-state.ts (an earlier task of
// the key answers here), session/link-task.ts, guard-creation.ts again (`guardCreation`: credentials, MCP tools, then
// the PreAbilityCreate hooks, so guards see only input that passed its check), task/progress-for-retry.ts (retries),
// files/task-files.ts, seal.ts, record/new-record.ts. A changed input goes through check-changed-input.ts instead, a
// task that another one calls through enter-called-task.ts.
import { isDeepStrictEqual } from 'node:util';
import type { Info } from '@temporalio/activity';
import { preflightIdOf, taskQueueOf, WORKFLOWS } from '../../contracts/names.js';
import { PLACEMENTS } from '../../contracts/placement.js';
import type { Plan } from '../../contracts/plan.js';
import { AbilityError } from '../../contracts/problem.js';
import type { Seal } from '../../contracts/seal.js';
import type { PreflightAnswer, Progress, TaskRequest } from '../../contracts/task.js';
import { RegistryLoader } from '../../definitions/load-registry.js';
import type { Registry } from '../../definitions/registry.js';
import { digestOf } from '../../rules/canonical.js';
import { parseDuration } from '../../rules/duration.js';
import { refuseOtherInput, refuseOtherPlan } from '../../rules/plans/wanted-plan.js';
import { checkRunId } from '../../rules/sessions/check-run-id.js';
import { checkScope } from '../../rules/sessions/check-scope.js';
import { mainSteps } from '../../rules/steps/inner-steps.js';
import { callerToSeal } from '../../rules/tasks/caller-of.js';
import { canBeginAt } from '../../rules/tasks/ways-to-retry.js';
import { didYouMean } from '../../text/nearest.js';
import { activityOf } from '../activity.js';
import type { ActivityDependencies } from '../dependencies.js';
import { toFailure } from '../failures.js';
import { holdFiles, withFiles } from '../files/task-files.js';
import { newRecord } from '../record/new-record.js';
import { sealInvalid, signSeal } from '../seal.js';
import { linkTask } from '../session/link-task.js';
import { keptProgress } from '../task/progress-for-retry.js';
import { type CreationDependencies, guardCreation, resolveWanted } from './guard-creation.js';
import { type KeyDependencies, type KeyState, keyConflict, stateOfKey } from './task-key-state.js';

type PreflightDependencies = CreationDependencies &
  KeyDependencies &
  Pick<ActivityDependencies, 'host' | 'keys' | 'plans' | 'files' | 'readEnded' | 'sessions'>;

/**
 * Answers whether a runnable task can be created: resolves, checks the input, runs PreAbilityCreate, seals, and makes
 * the record. Nothing is executed. Source: R-000-58, R-000-67 to R-000-73; docs/architecture.md#the-way-of-a-task.
 */
export function createPreflight(dependencies: PreflightDependencies) {
  const loader = new RegistryLoader(dependencies.root);
  return activityOf(
    async (request: TaskRequest, { info, cancellationSignal }): Promise<PreflightAnswer> => {
      refuseOutsider(request, info, dependencies);
      return preflight(request, loader.load(), dependencies, cancellationSignal);
    },
    {
      beats: true,
      toError: (error, request, { info }) =>
        toFailure(error, undefined, { request: digestOf(request), ...(!info.inWorkflow && { outside: true }) }),
    },
  );
}

/** Admits only the task's own preflight (workflow or standalone activity) on its environment's queues. */
function refuseOutsider({ task, environment }: TaskRequest, info: Info, { project }: PreflightDependencies): void {
  const queues = PLACEMENTS.map((placement) => taskQueueOf(project, environment, placement));
  if (isPreflightOf(task, project, info) && queues.includes(info.taskQueue)) return;
  throw sealInvalid(
    `The preflight of ${task} in ${environment} was not requested under its own id on a queue of ${environment}`,
  );
}

function isPreflightOf(
  task: string,
  project: string,
  { inWorkflow, activityId, workflowType, workflowExecution }: Info,
): boolean {
  const id = preflightIdOf(task, project);
  if (!inWorkflow) return activityId === id;
  return workflowType === WORKFLOWS.preflight && workflowExecution?.workflowId === id;
}

type Sealed = PreflightAnswer & { seal: Seal };

async function preflight(
  request: TaskRequest,
  registry: Registry,
  dependencies: PreflightDependencies,
  signal: AbortSignal,
): Promise<PreflightAnswer> {
  // Files are written under the scope.
  const scope = request.scope !== undefined && { scope: checkScope(request.scope) };
  const resolved = resolveWanted(request, registry, dependencies);
  const { input } = resolved;
  const planned = { plan: resolved.plan, input: resolved.digests.input };
  refuseOtherInput(request.plan, planned);
  const state = await stateOfKey(request, resolved.digests.input, dependencies);
  const about = { registry: registry.digest, request: digestOf(request) };
  if (state === 'ended' || state === 'held') {
    const { plan, warnings } = resolved;
    return { plan, input, warnings, ...about, ...(state === 'ended' && { ended: true }) };
  }
  refuseOtherPlan(request.plan, planned, false);
  const link = await linkTask(request, dependencies);
  const wanted = { ...request, caller: callerToSeal(request) };
  const guarded = await guardCreation(resolved, wanted, dependencies, signal).catch(link.refused);
  const { plan, digests, hooks, confirmations, warnings } = guarded;
  await link.formed(hooks);
  refuseOtherPlan(request.plan, { ...planned, plan }, true);
  const { task, user, retry } = request;
  const progress = retry && (await progressOf(retry, plan, dependencies));
  const taken = progress && { progress: digestOf(progress) };
  const caller = callerToSeal(request);
  const run = request.run !== undefined && { run: checkRunId(request.run) };
  const within = {
    ...(request.session && { session: request.session }),
    ...scope,
    ...(caller && { caller }),
    ...(request.intent !== undefined && { intent: request.intent }),
    ...run,
  };
  await holdFiles({ plan, input, progress }, task, dependencies.files.store);
  const sealed = { plan: digests.plan, task, input: digests.input, user, ...within, confirmations, ...taken };
  const seal = signSeal(sealed, dependencies.keys);
  dependencies.plans.keep(plan, digests.plan);
  const record = dependencies.records.pathOf(task);
  const answer: Sealed = {
    plan,
    seal,
    input,
    warnings: [...new Set([...resolved.warnings, ...warnings])],
    hooks,
    ...(progress && { progress }),
    ...(record !== undefined && { record }),
    ...about,
  };
  const keepMs = request.direct ? keptFor(registry) : undefined;
  if (!request.direct || keepMs !== undefined) makeRecord(answer, request, state, dependencies, keepMs);
  return answer;
}

/**
 * Reused results are sealed, so they must come from a task that was sealed.
 * @throws AbilityError as {@link PreflightDependencies.readEnded}; `seal.invalid`; `usage.invalid`.
 */
async function progressOf(
  { task, from }: NonNullable<TaskRequest['retry']>,
  plan: Plan,
  { readEnded, plans, project }: PreflightDependencies,
): Promise<Progress> {
  const { run, files, ...earlier } = await readEnded(task, project);
  await plans.vouchFor(run);
  const kept = keptProgress(earlier, planToRetry(plan, from), from);
  return files ? withFiles(kept, files) : kept;
}

/** @throws AbilityError `usage.invalid` for a step that does not exist. */
function planToRetry(plan: Plan, from: string | null): Plan {
  if (from === null || canBeginAt(plan, from)) return plan;
  const ids = mainSteps(plan.steps).map(({ step }) => step.id);
  throw new AbilityError({
    code: 'usage.invalid',
    message: `${plan.ability.id} has no step ${from} to start again from`,
    suggestion: didYouMean(from, ids),
  });
}

/** A key with an unreadable record is not reused, since the effects under it are unknown. */
function unreadableRecord(key: string, path: string): AbilityError {
  return new AbilityError({
    code: 'task.key_conflict',
    message: `The key ${key} is taken: ${path} exists, but contains no readable record`,
    suggestion: 'Choose another key; or remove that folder if no task was run under this one.',
  });
}

/** Milliseconds that records of direct runs are kept; undefined: none is written. Source: R-000-78. */
function keptFor({ project: { policy } }: Registry): number | undefined {
  const keep = policy.direct_records?.keep;
  return keep === undefined ? undefined : parseDuration(keep);
}

function makeRecord(
  { plan, seal, input, warnings }: Sealed,
  request: TaskRequest,
  state: KeyState,
  { records, host }: PreflightDependencies,
  keepMs?: number,
): void {
  const now = Date.now();
  const { user, session, task } = request;
  const source = { seal, user, session, caller: seal.caller, plan, task, host, input };
  const expires = keepMs !== undefined && { expires_at: new Date(now + keepMs).toISOString() };
  const record = { ...newRecord({ ...source, created_at: new Date(now).toISOString() }), ...expires, warnings };
  if (state === 'abandoned') records.replace(record);
  if (state === 'abandoned' || records.create(record)) return;
  // A workflow and an activity may run one preflight at once; the start of the task decides.
  const first = records.read(request.task);
  if (!first) throw unreadableRecord(request.task, records.pathOf(request.task) as string);
  if (first.result || !isDeepStrictEqual(first.request, record.request)) {
    throw keyConflict(request, 'a task that was created a moment before');
  }
}
