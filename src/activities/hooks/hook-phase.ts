import { Context } from '@temporalio/activity';
import type { HookRequest } from '../../contracts/activities.js';
import type { HookAnswer } from '../../contracts/hooks.js';
import { firstDeny, isGuardPhase } from '../../rules/hooks/fold-answers.js';
import { handlerKindOf } from '../../rules/hooks/handlers.js';
import { handlerReadsSession } from '../../rules/sessions/session-reads.js';
import { beginAttempt, whileBeating } from '../call/attempt.js';
import { traceHooks } from '../call/trace-call.js';
import type { ActivityDependencies } from '../dependencies.js';
import { taskOf, toFailure } from '../failures.js';
import { keepUnknown } from '../session/keep-signals.js';
import { callIdOf, type EnterCallDependencies, enterCall } from '../session/session-calls.js';
import { aboutTask, type TaskContext } from './hook-context.js';
import type { HookDependencies } from './hook-dependencies.js';
import { runHooks } from './run-hooks.js';

type HookPhaseDependencies = HookDependencies &
  EnterCallDependencies &
  Pick<ActivityDependencies, 'root' | 'plans' | 'records'>;

/** Limit for all hooks of a phase together, besides the time-outs of each hook. */
const PHASE_MS = 5 * 60_000;

/**
 * The hooks of one phase around a call. Built-in ones run in the call's attempt, or here around a task, which has
 * no attempt; hooks that are only expressions need no activity, unless the session must enter the call.
 */
export function createHookPhase(dependencies: HookPhaseDependencies): (request: HookRequest) => Promise<HookAnswer[]> {
  return (request) => whileBeating(Context.current(), () => runPhase(request, dependencies));
}

async function runPhase(request: HookRequest, dependencies: HookPhaseDependencies): Promise<HookAnswer[]> {
  const context = Context.current();
  const admitted = await dependencies.plans.admit(request.seal, context.info).catch((error: unknown) => {
    throw toFailure(error);
  });
  const { plan, session } = admitted;
  const operation = request.operation === null ? undefined : plan.operations[request.operation];
  const { pre_call, post_call } = (operation ?? plan.ability).hooks;
  const all = request.phase === 'PreAbilityCall' ? pre_call : post_call;
  const isWhole = !operation || (plan.hooks === 'activities' && request.phase === 'PreAbilityCall');
  const hooks = isWhole ? all : all.filter(({ handler }) => !handlerKindOf(handler).isInAttempt);
  const attempt = beginAttempt(context, PHASE_MS, false);
  const { path, input, phase, outcome, moment = Date.now() } = request;
  const task = taskOf(context);
  const inSession = plan.session_calls === true && session !== null && phase === 'PreAbilityCall';
  try {
    const around: TaskContext = {
      ...aboutTask(admitted),
      operation,
      input,
      task,
      ...(outcome && { outcome }),
      path,
      moment,
      hooks: inSession ? hooks.filter(({ handler }) => !handlerReadsSession(handler)) : hooks,
      signal: attempt.stop,
      logs: {
        folder: dependencies.records.logsOf(task),
        share: (step) => dependencies.records.sharedLog(task, step),
      },
    };
    // A script may read it.
    if (around.hooks.some(({ handler }) => handlerKindOf(handler).scripts(handler).length > 0))
      dependencies.records.settle(task);
    const traced = { task, admitted, mark: request.seal, path };
    const said = await traceHooks(dependencies.tracer, traced, () =>
      runHooks(phase, around, { blockingOnly: isGuardPhase(phase) }, dependencies),
    );
    const answers = keepUnknown(dependencies.root, around, said, moment);
    if (!inSession || session === null || firstDeny(answers)) return answers;
    // Last, so that a call which another guard denies is not entered.
    const id = callIdOf(task, request.call_id ?? '');
    return [...answers, ...(await enterCall({ ...around, session, id, hooks }, dependencies))];
  } finally {
    attempt.end();
  }
}
