import { Context } from '@temporalio/activity';
import type { CallAnswer, CallRequest } from '../../contracts/activities.js';
import { isRepeatable } from '../../contracts/effects.js';
import type { HookAnswer, Phase } from '../../contracts/hooks.js';
import type { Json, JsonObject } from '../../contracts/json.js';
import type { Plan, PlanHook, PlanOperation } from '../../contracts/plan.js';
import { AbilityError, reasonOf } from '../../contracts/problem.js';
import { kindOf } from '../../kinds/kinds.js';
import { operationInput } from '../../planning/resolve/check-parameters.js';
import { attemptsOf, waitAskedFor } from '../../rules/calls/call-defaults.js';
import { isRetryableCode } from '../../rules/calls/error-families.js';
import { firstDeny, isGuardPhase } from '../../rules/hooks/fold-answers.js';
import { denialOf, handlerKindOf } from '../../rules/hooks/handlers.js';
import { findStep } from '../../rules/steps/step-tree.js';
import { isPlainYes } from '../../rules/tasks/stored-result.js';
import { keyOf } from '../../rules/tasks/task-ids.js';
import { wayOnFrom } from '../../rules/tasks/ways-to-retry.js';
import { defined } from '../../text/defined.js';
import { currentTraceparent } from '../../tracing/current-span.js';
import type { Admitted } from '../admission.js';
import type { ActivityDependencies } from '../dependencies.js';
import { delayOf, taskOf, toFailure, unknownOutcome } from '../failures.js';
import { CallFiles } from '../files/call-files.js';
import { aboutTask } from '../hooks/hook-context.js';
import type { HookDependencies } from '../hooks/hook-dependencies.js';
import { runHooks } from '../hooks/run-hooks.js';
import { sealInvalid } from '../seal.js';
import { type Attempt, beginAttempt, cancelledBy, isSettled, limited, masked, whileBeating } from './attempt.js';
import { asUnusableAnswer, CallFailure, factsOf } from './call-failure.js';
import { CallLog } from './call-log.js';
import { checkFound, checkOutput } from './check-call-output.js';
import { EffectMark } from './effect-mark.js';
import type { RequestedCall } from './execute.js';
import { recordContent, traceAttempt } from './trace-call.js';

type CallDependencies = HookDependencies &
  Pick<ActivityDependencies, 'execute' | 'plans' | 'records' | 'files' | 'marks' | 'storeLarge'>;

/**
 * One attempt of a low-level call: admitted, guarded, checked, executed, checked again. The activity's type is the
 * operation, so that history and UI show its name.
 */
export function createCall(dependencies: CallDependencies): (request: CallRequest) => Promise<CallAnswer> {
  return (request) => whileBeating(Context.current(), () => makeAttempt(request, dependencies));
}

async function makeAttempt(request: CallRequest, dependencies: CallDependencies): Promise<CallAnswer> {
  const context = Context.current();
  const admitted = await dependencies.plans.admit(request.seal, context.info).catch((error: unknown) => {
    throw toFailure(error);
  });
  const { plan } = admitted;
  const { activityType } = context.info;
  const operation = Object.hasOwn(plan.operations, activityType) ? plan.operations[activityType] : undefined;
  if (!operation) {
    throw toFailure(sealInvalid(`${activityType} is not among the operations that were planned`));
  }
  const { errors, condition, jitter, attempts } = retryOf(plan, operation, request.path);
  const isOnce = !isRepeatable(operation.effects);
  const attempt = beginAttempt(context, operation.implementation.timeout_ms, isOnce);
  const hooks: HookAnswer[] = [];
  try {
    const codeOf = (error: unknown): string | undefined => {
      if (attempt.signal.aborted && !isSettled(error)) return 'cancelled';
      const known = limited(error, attempt);
      return known instanceof AbilityError ? known.code : undefined;
    };
    const traced = { task: taskOf(context), admitted, operation, request, info: context.info, codeOf };
    return await traceAttempt(dependencies.tracer, traced, () =>
      runAttempt(admitted, operation, request, attempt, hooks, dependencies),
    );
  } catch (error) {
    if (attempt.signal.aborted && !isSettled(error)) throw cancelledBy(attempt, error, operation);
    const { number, arrivedBefore } = attempt;
    const unclearBefore = attempt.unclearBefore || attempt.lostBefore;
    const { unclear: isUnclear, hasArrived } = factsOf(error);
    const unclear = isUnclear || attempt.lostBefore;
    // What became of it is asked before another attempt.
    const attemptsLeft = unclear && operation.unknown ? 0 : Math.max(0, attempts - number);
    const { effects } = operation;
    const asked = (error instanceof AbilityError && waitAskedFor(error, Date.now())) || 0;
    const { retryPolicy: policy } = context.info;
    const delayMs = jitter || asked > 0 ? delayOf(policy, number, asked, jitter ? Math.random : undefined) : undefined;
    const before = { unclearBefore, arrivedBefore, hooks };
    const facts = { effects, errors, condition, delayMs, attempt: number, attemptsLeft, ...before };
    if ((isOnce || unclear || hasArrived) && attemptsLeft > 0) {
      attempt.leave({ ...(unclear && { unclear }), ...(hasArrived && { arrived: hasArrived }) });
    }
    throw toFailure(limited(error, attempt), facts);
  } finally {
    attempt.end();
  }
}

async function runAttempt(
  admitted: Admitted,
  operation: PlanOperation,
  request: CallRequest,
  attempt: Attempt,
  answers: HookAnswer[],
  dependencies: CallDependencies,
): Promise<CallAnswer> {
  const { path } = request;
  const { plan } = admitted;
  const task = taskOf(Context.current());
  const log = new CallLog(
    dependencies.records.logsOf(task),
    path,
    attempt.number,
    dependencies.records.sharedLog(task, path),
  );
  const input = operationInput(operation, request.with);
  const around = { admitted, operation, request, input, signal: attempt.signal };
  answers.push(...(await runBuiltinHooks('PreAbilityCall', operation.hooks.pre_call, around, dependencies)));
  const deny = firstDeny(answers);
  if (deny) throw denialOf(deny);
  if (attempt.leftMs === 0) throw new CallFailure({ code: 'timeout.step', message: 'The step had no time left' });
  const mark = markOf(admitted, operation, request, dependencies);
  let hasBegun = false;
  const { files: given = [], file_room: room } = request;
  const scope = { task: admitted.seal.task, files: given, limits: plan.files, room, signal: attempt.stop };
  const files = new CallFiles(dependencies.files, scope);
  const trace = currentTraceparent() ?? admitted.trace;
  const call: RequestedCall = {
    input,
    plan,
    root: admitted.seal.task,
    taskKey: keyOf(task),
    ability: plan.ability.id,
    path,
    idempotencyKey: `${task}/${path}`,
    ...(trace !== undefined && { trace }),
    environment: plan.environment,
    timeoutMs: attempt.leftMs,
    outputBytes: plan.limits.output_bytes,
    inputSchema: operation.input_schema,
    outputSchema: operation.output_schema,
    signal: attempt.signal,
    stop: attempt.stop,
    secrets: dependencies.secrets(plan.environment.name),
    begin: async () => {
      const wasLeft = await mark?.make();
      // Without a mark the lost attempt had not begun.
      attempt.lostBefore &&= wasLeft === true;
      const because = mark && attempt.lostBefore ? whyNotAfterLost(plan, operation, path) : undefined;
      if (mark && because !== undefined) throw mark.lostAttempt(because);
      if (attempt.stop.aborted && !attempt.signal.aborted) throw lateStart();
      hasBegun = true;
    },
    log,
    files,
    outputFiles: operation.output_files,
  };
  const warnings: string[] = [];
  try {
    // Traces never contain what models receive and answer.
    const isTool = kindOf(operation.implementation).isTool;
    if (isTool) recordContent(log, 'toolArguments', input);
    const output = checkOutput(operation, call, await dependencies.execute(operation, call));
    if (isTool) recordContent(log, 'toolResult', output);
    if (request.about) checkFound(plan, request.about, output);
    await settle('succeeded', output, null);
    const answer: CallAnswer = { output };
    if (Object.keys(files.made).length > 0) answer.files = files.made;
    if (attempt.number > 1) answer.attempt = attempt.number;
    Object.assign(answer, hookFieldsOf(answers));
    const lost = log.save(true);
    if (lost) warnings.push(lost);
    if (warnings.length > 0) answer.warnings = warnings;
    await keep(answer, operation, plan, dependencies);
    return answer;
  } catch (thrown) {
    const error = hasBegun ? asUnusableAnswer(thrown) : thrown;
    await mark?.takeBack(error, hasBegun);
    if (!(error instanceof StoreFull)) await settle('failed', null, error);
    log.add('runtime', reasonOf(error));
    log.save();
    throw masked(error instanceof StoreFull ? error.failure : error, log);
  } finally {
    await files.close();
  }

  async function settle(status: string, output: Json, error: unknown): Promise<void> {
    const outcome = { status, output, error: error instanceof AbilityError ? error.toProblem() : null };
    const after = { ...around, outcome };
    answers.push(...(await runBuiltinHooks('PostAbilityCall', operation.hooks.post_call, after, dependencies)));
  }
}

/** The part of the hooks' answers that the history keeps; it knows from the plan which hooks ran. */
function hookFieldsOf(answers: HookAnswer[]): Pick<CallAnswer, 'allowed' | 'allowed_ms' | 'hooks'> {
  if (answers.length === 0) return {};
  if (!answers.every(isPlainYes)) return { hooks: answers };
  return { allowed: true, allowed_ms: answers.map(({ duration_ms = 0 }) => duration_ms) };
}

/** Temporal repeats an attempt that was lost with its worker whatever `retry.errors` names. */
function whyNotAfterLost(plan: Plan, operation: PlanOperation, path: string): string | undefined {
  if (operation.unknown) return `${operation.unknown.call} is asked first`;
  const mayFollow = isRetryableCode('timeout.call', retryOf(plan, operation, path).errors);
  return mayFollow ? undefined : '`retry.errors` names no timeout';
}

/** As after a store that was slow to keep the mark. */
function lateStart(): CallFailure {
  const message = 'The time of the call was up before it began, so nothing was done';
  return new CallFailure({
    code: 'timeout.call',
    message,
    suggestion: 'Raise its timeout, or look why it began late.',
  });
}

/** A repeatable call leaves no mark. */
function markOf(
  { plan, root }: Admitted,
  operation: PlanOperation,
  { path, groups = [], after }: CallRequest,
  { marks }: CallDependencies,
): EffectMark | undefined {
  if (isRepeatable(operation.effects)) return undefined;
  const { info } = Context.current();
  const task = taskOf(Context.current());
  const { project, environment } = plan;
  const call = { project, environment: environment.name, call: `${task}/${path}`, groups, ...defined({ after }) };
  const by = { run: info.workflowExecution?.runId ?? '', activity: info.activityId };
  return new EffectMark(marks, call, by, wayOnFrom(root, task, path));
}

/** The call was made, but its answer cannot be stored. Source: docs/operations.md#a-shared-store. */
class StoreFull extends Error {
  constructor(readonly failure: CallFailure) {
    super(failure.message);
  }
}

async function keep(
  answer: CallAnswer,
  operation: PlanOperation,
  plan: Plan,
  { storeLarge }: CallDependencies,
): Promise<void> {
  try {
    await storeLarge(answer, plan.limits.output_bytes);
  } catch (error) {
    if (!(error instanceof AbilityError)) throw error;
    const problem = isRepeatable(operation.effects) ? error.toProblem() : unknownOutcome(error.toProblem());
    throw new StoreFull(new CallFailure(problem, { hasArrived: true, cause: error }));
  }
}

function retryOf(plan: Plan, operation: PlanOperation, path: string) {
  const step = findStep(plan, path);
  const retry = step?.verb === 'call' ? step.retry : undefined;
  return {
    errors: retry?.errors,
    condition: retry?.if,
    jitter: retry?.jitter === true,
    attempts: attemptsOf(operation, retry?.attempts),
  };
}

interface Around {
  admitted: Admitted;
  operation: PlanOperation;
  request: CallRequest;
  input: JsonObject;
  signal: AbortSignal;
  outcome?: { status: string; output: Json; error: unknown };
}

/** Runs in the attempt, so built-ins cost no event. */
async function runBuiltinHooks(
  phase: Phase,
  hooks: readonly PlanHook[],
  { admitted, operation, request, input, signal, outcome }: Around,
  dependencies: HookDependencies,
): Promise<HookAnswer[]> {
  const builtins = hooks.filter(({ handler }) => handlerKindOf(handler).isInAttempt);
  // Shown guards have answered in the activity of their phase.
  const isShown = phase === 'PreAbilityCall' && admitted.plan.hooks === 'activities';
  if (builtins.length === 0 || isShown) return [];
  const { path } = request;
  const context = {
    ...aboutTask(admitted),
    operation,
    input,
    task: taskOf(Context.current()),
    ...(outcome && { outcome }),
    path,
    moment: Date.now(),
    hooks: builtins,
    signal,
    logs: undefined,
  };
  return runHooks(phase, context, { blockingOnly: isGuardPhase(phase) }, dependencies);
}
