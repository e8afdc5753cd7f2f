import { Context } from '@temporalio/activity';
import type { CallRequest } from '../../contracts/activities.js';
import type { HookAnswer, Phase } from '../../contracts/hooks.js';
import type { Json, JsonObject } from '../../contracts/json.js';
import type { PlanHook, PlanOperation } from '../../contracts/plan.js';
import { isGuardPhase } from '../../rules/hooks/guard-precedence.js';
import { taskOf } from '../activity.js';
import type { Admitted } from '../admission.js';
import type { HookDependencies } from '../hooks/hook-dependencies.js';
import { runHooks } from '../hooks/run-hooks.js';

export interface Around {
  admitted: Admitted;
  operation: PlanOperation;
  request: CallRequest;
  input: JsonObject;
  signal: AbortSignal;
  outcome?: { status: string; output: Json; error: unknown };
}

/** Runs in the attempt, so built-ins cost no event. Source: docs/architecture.md#the-way-of-a-task. */
export async function runBuiltinHooks(
  phase: Phase,
  hooks: readonly PlanHook[],
  { admitted, operation, request, input, signal, outcome }: Around,
  dependencies: HookDependencies,
): Promise<HookAnswer[]> {
  const builtins = hooks.filter(({ handler }) => handler.kind === 'builtin');
  // Shown guards have answered in the activity of their phase.
  const isShown = phase === 'PreAbilityCall' && admitted.plan.hooks === 'activities';
  if (builtins.length === 0 || isShown) return [];
  const { path } = request;
  const { plan, seal, user, session, caller, trace } = admitted;
  const facts = { plan, operation, input, task: taskOf(Context.current()), user, session, ...(outcome && { outcome }) };
  const context = {
    ...facts,
    scope: seal.scope,
    caller,
    path,
    moment: Date.now(),
    hooks: builtins,
    planDigest: seal.plan,
    signal,
    logs: undefined,
    ...(trace !== undefined && { trace }),
  };
  return runHooks(phase, context, { blockingOnly: isGuardPhase(phase) }, dependencies);
}
