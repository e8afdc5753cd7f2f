// The way of a request: read-request.ts (who asks, for what, in which environment), guard-creation.ts (`resolveWanted`:
// plan, then input), task-key-state.ts (an ended task of the key answers here), session/link-task.ts,
// guard-creation.ts again (`guardCreation`: credentials, MCP tools, then the PreAbilityCreate hooks, so guards see only
// input that passed its check), task/progress-for-retry.ts (retries), files/task-files.ts, seal.ts,
// record/new-record.ts. A changed input goes through check-changed-input.ts instead, a task that another one calls
// through enter-called-task.ts.
import type { Context } from '@temporalio/activity';
import type { EnterAnswer, EnterRequest } from '../../contracts/activities.js';
import type { Plan } from '../../contracts/plan.js';
import { AbilityError } from '../../contracts/problem.js';
import type { Seal } from '../../contracts/seal.js';
import type { Formed, PackedPlan, PreflightAnswer, PreflightRequest, TaskOptions } from '../../contracts/task.js';
import { RegistryLoader } from '../../definitions/load-registry.js';
import type { Registry } from '../../definitions/registry.js';
import { guardedParts } from '../../planning/hooks/hook-parts.js';
import { checkAgainst } from '../../planning/input/schemas.js';
import { digestOf } from '../../rules/canonical.js';
import { parseDuration } from '../../rules/duration.js';
import { handlerKindOf, needsActivity } from '../../rules/hooks/handlers.js';
import { refuseOtherInput, refuseOtherPlan } from '../../rules/plans/plan-digest.js';
import { mainSteps } from '../../rules/steps/step-tree.js';
import { storeResult } from '../../rules/tasks/stored-result.js';
import { claimsOf, proofOf } from '../../rules/tasks/task-arguments.js';
import { isDirect, refusedEventOf, unattendedOf } from '../../rules/tasks/task-ids.js';
import { canBeginAt } from '../../rules/tasks/ways-to-retry.js';
import { didYouMean } from '../../text/nearest.js';
import type { ActivityDependencies } from '../dependencies.js';
import { activityOf, taskOf, toFailure } from '../failures.js';
import { holdFiles, withFiles } from '../files/task-files.js';
import { targetsIn } from '../project-definitions.js';
import { newRecord } from '../record/new-record.js';
import { signSeal } from '../seal.js';
import { linkTask } from '../session/link-task.js';
import { keptProgress, type Taken } from '../task/progress-for-retry.js';
import { type CreationDependencies, guardCreation, type Resolved, resolveWanted } from './guard-creation.js';
import { otherQueue } from './other-queue.js';
import {
  environmentOf,
  notOfTask,
  type ReadDependencies,
  readRequest,
  readRequestOfRun,
  type Wanted,
} from './read-request.js';
import { type KeyDependencies, type KeyState, keyConflict, stateOfKey } from './task-key-state.js';

type PreflightDependencies = CreationDependencies &
  KeyDependencies &
  ReadDependencies &
  Pick<
    ActivityDependencies,
    | 'host'
    | 'keys'
    | 'lastDefinitions'
    | 'plans'
    | 'files'
    | 'readEnded'
    | 'sessions'
    | 'packPlan'
    | 'shrink'
    | 'isServed'
  >;

type Answer = PreflightAnswer<PackedPlan>;

/**
 * Answers whether a task can be formed: resolves, checks the input, runs PreAbilityCreate, seals, and makes the
 * record. Nothing is executed. The first act of a task, a local activity; where a hook is a script or an ability, an
 * activity of its own repeats it. Source: R-000-58, R-000-67 to R-000-73; docs/architecture.md#the-way-of-a-task.
 */
export function createPreflight(dependencies: PreflightDependencies) {
  const loader = new RegistryLoader(dependencies.root);
  /** Whoever started it need not have said where. */
  const toError = (error: unknown, _: unknown, { info }: Context): unknown => {
    const { project } = dependencies;
    const registry = dependencies.lastDefinitions();
    const environment = registry && environmentOf(info.taskQueue, registry, project);
    if (!registry || environment === undefined) return toFailure(error, undefined, { refused_in: { project } });
    const event = refusedEventOf(unattendedOf(info.workflowExecution?.workflowId ?? ''));
    const notify = event ? targetsIn(registry, environment, event) : [];
    return toFailure(error, undefined, { refused_in: { project, environment, ...(notify.length > 0 && { notify }) } });
  };
  return {
    local: activityOf(
      async (request: PreflightRequest, context): Promise<Answer> => {
        // Any workflow could request it as an activity, for another input than it was started with.
        if (!context.info.isLocal) throw notOfTask();
        if (request.refused) throw new AbilityError(request.refused);
        const registry = loader.load();
        return preflight(
          readRequest(request, context.info, registry, dependencies),
          registry,
          dependencies,
          context,
          false,
        );
      },
      { toError },
    ),
    dedicated: activityOf(
      async (_: unknown, context): Promise<Answer> => {
        const registry = loader.load();
        const wanted = await readRequestOfRun(context.info, registry, dependencies);
        return preflight(wanted, registry, dependencies, context, true);
      },
      { beats: true, toError },
    ),
  };
}

/** @param mayBeSlow whether this is the activity for hooks that a workflow task must not wait for. */
async function preflight(
  wanted: Wanted,
  registry: Registry,
  dependencies: PreflightDependencies,
  { cancellationSignal }: Context,
  mayBeSlow: boolean,
): Promise<Answer> {
  const { options, task } = wanted;
  const resolved = resolveWanted(wanted, registry, dependencies);
  const planned = { plan: resolved.plan, input: resolved.digests.input };
  refuseOtherInput(options.plan, planned);
  const state = await stateOfKey({ ...wanted, input: resolved.digests.input, plan: options.plan }, dependencies);
  if (typeof state === 'object') return { ended: storeResult(await dependencies.shrink(state.ended)) };
  if (!mayBeSlow && needsDedicated(resolved.plan)) return { dedicated: true };
  try {
    return await form(wanted, resolved, state, registry, dependencies, cancellationSignal);
  } catch (error) {
    // An attempt that was lost may have made a record before the definitions changed.
    if (state === 'own') dependencies.records.forget(task);
    throw error;
  }
}

/** Whether the hooks before creation need an activity of their own, as scripts and abilities do. */
function needsDedicated(plan: Plan): boolean {
  const hooks = guardedParts(plan, {}).flatMap(
    ({ plan: part, operation }) => (operation ?? part.ability).hooks.pre_create,
  );
  if (plan.hooks === 'activities') return hooks.length > 0;
  return hooks.some((hook) => needsActivity(hook) && !handlerKindOf(hook.handler).isInAttempt);
}

async function form(
  wanted: Wanted,
  resolved: Resolved,
  state: KeyState,
  registry: Registry,
  dependencies: PreflightDependencies,
  signal: AbortSignal,
): Promise<Formed<PackedPlan>> {
  const { input } = resolved;
  const { options, task, caller } = wanted;
  const planned = { plan: resolved.plan, input: resolved.digests.input };
  refuseOtherPlan(options.plan, planned, false);
  const queue = await otherQueue(resolved.plan, wanted.taskQueue, dependencies);
  const link = await linkTask(wanted, dependencies);
  const guarded = await guardCreation(resolved, wanted, dependencies, signal).catch(link.refused);
  const { plan, digests, hooks, confirmations } = guarded;
  await link.formed(hooks);
  refuseOtherPlan(options.plan, { ...planned, plan }, true);
  const taken = options.retry && (await progressOf(options.retry, plan, dependencies));
  const progress = taken?.progress;
  await holdFiles({ plan, input, progress }, task, dependencies.files.store);
  const sealed = { plan: digests.plan, task, input: digests.input, ...claimsOf(options), ...(caller && { caller }) };
  const reused = progress && { progress: digestOf(progress) };
  const seal = signSeal({ ...sealed, confirmations, ...reused }, dependencies.keys);
  dependencies.plans.keep(plan, digests.plan);
  const warnings = [...new Set([...resolved.warnings, ...otherDefinitions(options, registry), ...guarded.warnings])];
  const keepMs = isDirect(task) ? keptFor(registry) : undefined;
  if (!isDirect(task) || keepMs !== undefined) {
    makeRecord({ plan, seal, input, warnings }, wanted, state, dependencies, keepMs);
  }
  return {
    ...(digestOf(wanted.input) !== digests.input && { input }),
    ...(hooks.length > 0 && { hooks }),
    ...(warnings.length > 0 && { warnings }),
    seal: proofOf(seal),
    ...(queue !== undefined && { queue }),
    ...(taken && { progress: taken.progress, begins: taken.begins }),
    plan: dependencies.packPlan(plan, digests.plan),
  };
}

function otherDefinitions({ definitions }: TaskOptions, { digest }: Registry): string[] {
  if (definitions === undefined || digest.startsWith(definitions)) return [];
  return ['The definitions of the worker differ from those of who asked; the task runs those of the worker'];
}

/**
 * Reused results are sealed, so they must come from a task that was sealed.
 * @throws AbilityError as {@link PreflightDependencies.readEnded}; `seal.invalid`; `usage.invalid`.
 */
async function progressOf(
  { task, from = null, ...said }: NonNullable<TaskOptions['retry']>,
  plan: Plan,
  { readEnded, plans, project }: PreflightDependencies,
): Promise<Taken> {
  const { run, files, ...earlier } = await readEnded(task, project);
  await plans.vouchFor(run);
  const kept = keptProgress(earlier, planToRetry(plan, from), { from, ...said });
  return files ? { ...kept, progress: withFiles(kept.progress, files) } : kept;
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

interface Recorded {
  plan: Plan;
  seal: Seal;
  input: Wanted['input'];
  warnings: string[];
}

function makeRecord(
  { plan, seal, input, warnings }: Recorded,
  { user, session, task, first, created_at, ability, environment, options }: Wanted,
  state: KeyState,
  { records, host }: PreflightDependencies,
  keepMs?: number,
): void {
  const source = { seal, user, session, caller: seal.caller, plan, task, run_id: first, host, input };
  const expires = keepMs !== undefined && { expires_at: new Date(Date.parse(created_at) + keepMs).toISOString() };
  const record = { ...newRecord({ ...source, created_at }), ...expires, warnings };
  if (state === 'own') records.replace(record);
  if (state === 'own' || records.create(record, options.create !== true)) return;
  if (!records.read(task)) throw unreadableRecord(task, records.pathOf(task) as string);
  throw keyConflict({ task, ability, environment }, 'a task that was created a moment before');
}

/** A failed record is a warning: the history has all. */
export function createEnter({ host, plans, records }: Pick<ActivityDependencies, 'host' | 'plans' | 'records'>) {
  return activityOf(async (request: EnterRequest, context): Promise<EnterAnswer> => {
    const admitted = await plans.admit(request.seal, context.info);
    const { ability } = admitted.plan;
    const what = `The input of ${ability.id}`;
    const input = checkAgainst(ability.input_schema, request.input, { code: 'input.invalid', what });
    const task = taskOf(context);
    const warnings: string[] = [];
    if (records.pathOf(task)) {
      try {
        records.replace(newRecord({ ...admitted, task, host, input, created_at: new Date().toISOString() }));
      } catch (error) {
        if (!(error instanceof AbilityError)) throw error;
        warnings.push(`${error.code}: ${error.message}`);
      }
    }
    return { input, warnings };
  });
}
