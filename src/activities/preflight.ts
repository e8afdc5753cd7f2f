import { Context } from '@temporalio/activity';
import type { HookAnswer } from '../contracts/hooks.js';
import type { JsonObject } from '../contracts/json.js';
import type { Plan, PlanOperation } from '../contracts/plan.js';
import { AbilityError } from '../contracts/problem.js';
import type { TaskRecord } from '../contracts/record.js';
import type { Confirmation } from '../contracts/seal.js';
import type { PreflightAnswer, TaskMemo, TaskRequest } from '../contracts/task.js';
import { RegistryLoader } from '../definitions/load-registry.js';
import type { Registry } from '../definitions/registry.js';
import type { EnvironmentVariables } from '../planning/environment-variables.js';
import { operationInput } from '../planning/operation-input.js';
import { resolvePlan } from '../planning/resolve-plan.js';
import { checkAgainst } from '../planning/schemas.js';
import { type SealKeys, signSeal } from '../planning/seal.js';
import { digestOf } from '../rules/canonical.js';
import { childPlan } from '../rules/child-plan.js';
import { firstDeny } from '../rules/guard-precedence.js';
import { denialOf } from '../rules/hook-facts.js';
import { mainSteps } from '../rules/inner-steps.js';
import { type EarlierTask, keptProgress } from '../rules/kept-progress.js';
import { didYouMean } from '../rules/nearest.js';
import { refuseUnsafeKeys } from '../rules/unsafe-keys.js';
import { toFailure } from './failures.js';
import { credentialsOf } from './hooks/builtins.js';
import { type HookDependencies, runHooks } from './hooks/run-hooks.js';
import type { PinnedTools } from './mcp/pinned-tools.js';
import type { PlanSource } from './plan-source.js';
import type { RecordFolder } from './record/record-folder.js';
import type { PinnedScripts } from './script/pinned-scripts.js';

/** What preflight needs of its worker. */
export interface PreflightDependencies extends HookDependencies {
  /** Absolute path of the project. */
  root: string;
  /** What `env:NAME` in its definitions stands for; left out: what this process and its `.env` files say. */
  variables?: (environment: string) => EnvironmentVariables;
  project: string;
  host: string;
  keys: SealKeys;
  plans: PlanSource;
  scripts: PinnedScripts;
  tools: Pick<PinnedTools, 'pin'>;
  records: RecordFolder;
  /** What Temporal knows of a task of this key: its memo, `foreign` for somebody else's workflow, or nothing. */
  findTask: (key: string) => Promise<TaskMemo | 'foreign' | undefined>;
  /** What a task of this key has done that has ended. @throws AbilityError `task.not_found`, `task.open`. */
  readEnded: (key: string) => Promise<EarlierTask>;
}

/** A record without a task is of a caller who died before its start; after this long its key is free again. */
const ABANDONED_MS = 60_000;

/**
 * Answers whether a runnable task can be formed: resolves, checks the input, asks PreAbilityCreate, seals, and makes
 * the record. Nothing is executed. Source: R-000-58, R-000-67 to R-000-73; design, section 6.
 */
export function createPreflight(
  dependencies: PreflightDependencies,
): (request: TaskRequest) => Promise<PreflightAnswer> {
  const loader = new RegistryLoader(dependencies.root);
  return async (request) => {
    try {
      return await preflight(request, loader.load(), dependencies, Context.current().cancellationSignal);
    } catch (error) {
      throw toFailure(error, undefined, { request: digestOf(request) });
    }
  };
}

async function preflight(
  request: TaskRequest,
  registry: Registry,
  dependencies: PreflightDependencies,
  signal: AbortSignal,
): Promise<PreflightAnswer> {
  refuseUnsafeKeys(request.input);
  const variables = dependencies.variables?.(request.environment);
  const resolved = resolvePlan(registry, request.ability, request.environment, variables);
  const { warnings } = resolved;
  const input = inputOf(resolved.plan, request);
  const inputDigest = digestOf(input);
  const state = await stateOfKey(request, inputDigest, dependencies);
  const isNew = state === 'free' || state === 'abandoned';
  if (isNew) refuseMissingCredentials(resolved.plan, dependencies);
  const plan = isNew ? await pinTools(resolved.plan, warnings, dependencies, signal) : resolved.plan;
  const digests = { plan: digestOf(plan), input: inputDigest };
  const confirmations: Confirmation[] = [];
  const hooks: HookAnswer[] = [];
  if (isNew) {
    const answers = await askGuards(plan, input, request, digests.plan, dependencies, signal);
    hooks.push(...answers);
    confirmations.push(...confirmationsOf(answers));
    const notKept = dependencies.scripts.keep(plan);
    if (notKept) warnings.push(notKept);
    warnings.push(...warningsOf(answers));
  }
  const { task, user, retry } = request;
  const progress =
    retry && keptProgress(await dependencies.readEnded(retry.task), planToRetry(plan, retry.from), retry.from);
  const taken = progress && { progress: digestOf(progress) };
  const sealed = { plan: digests.plan, task, input: digests.input, user, confirmations, ...taken };
  const seal = signSeal(sealed, dependencies.keys);
  dependencies.plans.keep(plan, { seal, user, session: request.session });
  const answer: PreflightAnswer = {
    plan,
    seal,
    input,
    warnings: [...new Set(warnings)],
    hooks,
    ...(progress && { progress }),
    registry: registry.digest,
    request: digestOf(request),
  };
  if (state === 'ended') return { ...answer, ended: true };
  if (!request.direct && state !== 'held') makeRecord(answer, request, state, dependencies);
  return answer;
}

/** A low-level ability is one call of itself, so what is shown and sealed is what that call will get. */
function inputOf({ ability, operations }: Plan, request: TaskRequest): JsonObject {
  const own = ability.kind === 'operation' ? operations[ability.id] : undefined;
  if (own) return operationInput(own, request.input);
  const what = `The input of ${ability.id}`;
  return checkAgainst(ability.input_schema, request.input, { code: 'input.invalid', what });
}

/** @throws AbilityError `usage.invalid` for a step that is not there. */
function planToRetry(plan: Plan, from: string | null): Plan {
  const ids = mainSteps(plan.steps).map(({ step }) => step.id);
  if (from === null || ids.includes(from)) return plan;
  throw new AbilityError({
    code: 'usage.invalid',
    message: `${plan.ability.id} has no step ${from} to begin again with`,
    suggestion: didYouMean(from, ids),
  });
}

type KeyState = 'free' | 'abandoned' | 'held' | 'ended';

/**
 * Whether the key is free, or already that of a task with the same ability, environment and input.
 *
 * @throws AbilityError `task.key_conflict`. Source: answers, 3 and 4.
 */
async function stateOfKey(
  request: TaskRequest,
  input: string,
  { records, findTask }: PreflightDependencies,
): Promise<KeyState> {
  if (request.direct) return 'free';
  const record = records.read(request.task);
  // Keys with this form are made by the client from time and chance; nobody else has the same one.
  const isGenerated = /^t-[0-9a-hjkmnp-tv-z]{26}$/.test(request.task);
  if (!record && isGenerated) return 'free';
  const task = await findTask(request.task);
  if (task === 'foreign') throw keyConflict(request, 'a workflow that is no task');
  const held = task ?? record?.request;
  if (!held) return 'free';
  if (held.ability === request.ability && held.environment === request.environment && held.input === input) {
    if (task) return 'held';
    // Temporal has forgotten it; what it did is not to be done again.
    return record?.result ? 'ended' : 'abandoned';
  }
  if (!task && record && !record.result && Date.now() - Date.parse(record.created_at) > ABANDONED_MS) {
    return 'abandoned';
  }
  throw keyConflict(request, `${held.ability} in ${held.environment} with another input`, held);
}

function keyConflict(request: TaskRequest, what: string, held?: Pick<TaskMemo, 'ability' | 'environment'>) {
  const differs =
    held && (held.ability !== request.ability || held.environment !== request.environment)
      ? `${held.ability} in ${held.environment}`
      : what;
  return new AbilityError({
    code: 'task.key_conflict',
    message: `The key ${request.task} already belongs to ${differs}`,
    suggestion: `Choose another key; \`ability task show ${request.task}\` tells what holds this one.`,
  });
}

/** Credentials are asked for before anything is promised. Source: R-000-73. */
function refuseMissingCredentials(plan: Plan, { secrets }: PreflightDependencies): void {
  const source = secrets(plan.environment.name);
  for (const { reference, what } of credentialsOf(plan)) source.resolve(reference, what);
}

/** What is promised is the tools as they are now. @throws AbilityError `mcp.not_pinned`. */
async function pinTools(
  resolved: Plan,
  warnings: string[],
  { secrets, tools }: PreflightDependencies,
  signal: AbortSignal,
): Promise<Plan> {
  const pinned = await tools.pin(resolved, { secrets: secrets(resolved.environment.name), signal });
  warnings.push(...pinned.warnings);
  return pinned.plan;
}

/** PreAbilityCreate fires once: for the task with its input, and for each operation it may call. Source: answers, 5. */
async function askGuards(
  root: Plan,
  rootInput: JsonObject,
  request: TaskRequest,
  planDigest: string,
  dependencies: PreflightDependencies,
  signal: AbortSignal,
): Promise<HookAnswer[]> {
  const answers: HookAnswer[] = [];
  for (const { plan, operation, path, input } of guardedParts(root, rootInput)) {
    const own = await runHooks(
      {
        plan,
        operation,
        input,
        task: request.task,
        user: request.user,
        session: request.session,
        phase: 'PreAbilityCreate',
        path,
        hooks: (operation ?? plan.ability).hooks.pre_create,
        planDigest,
        signal,
        logFolder: undefined,
      },
      dependencies,
    );
    answers.push(...own);
    const deny = firstDeny(own);
    if (deny) throw denialOf(deny);
  }
  return answers;
}

/** One thing whose creation is guarded. */
interface GuardedPart {
  plan: Plan;
  /** Undefined for a workflow. */
  operation: PlanOperation | undefined;
  path: string;
  input: JsonObject;
}

function guardedParts(root: Plan, input: JsonObject): GuardedPart[] {
  const operations = Object.values(root.operations);
  if (root.ability.kind === 'operation') {
    return operations.map((operation) => ({ plan: root, operation, path: '', input }));
  }
  const called = Object.keys(root.workflows ?? {});
  return [
    { plan: root, operation: undefined, path: '', input },
    ...called.map((id) => ({ plan: childPlan(root, id), operation: undefined, path: id, input: {} })),
    ...operations.map((operation) => ({ plan: root, operation, path: operation.key, input: {} })),
  ];
}

function confirmationsOf(answers: HookAnswer[]): Confirmation[] {
  return answers
    .filter(({ decision }) => decision === 'need_user_confirm')
    .map(({ hook_id, reason }) => ({ hook_id, reason: reason ?? 'A hook asks for confirmation.' }));
}

/** A confirmation asked for at creation is a warning now and an approval when the task runs. Source: design, section 7. */
function warningsOf(answers: HookAnswer[]): string[] {
  return answers.flatMap(({ warnings = [], decision, reason, hook_id }) =>
    decision === 'need_user_confirm'
      ? [...warnings, `An approval will be asked for: ${reason ?? 'no reason given'} (hook ${hook_id})`]
      : warnings,
  );
}

function makeRecord(
  { plan, seal, input, warnings }: PreflightAnswer,
  request: TaskRequest,
  state: KeyState,
  { records, host }: PreflightDependencies,
): void {
  const record: TaskRecord = {
    format: 1,
    task_key: request.task,
    request: { ability: request.ability, environment: request.environment, input: seal.input },
    requested_by: request.user,
    session: request.session,
    created_at: new Date().toISOString(),
    host,
    plan_digest: seal.plan,
    plan,
    input,
    warnings,
    result: null,
  };
  if (state === 'abandoned') records.replace(record);
  else if (!records.create(record)) {
    throw keyConflict(request, 'another caller who came first');
  }
}
