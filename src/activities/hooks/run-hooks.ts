import type { HookAnswer, Phase } from '../../contracts/hooks.js';
import type { PlanHook } from '../../contracts/plan.js';
import { reasonOf } from '../../contracts/problem.js';
import { ATTRIBUTES as A, OWN_SPANS } from '../../contracts/traces.js';
import { isGuardPhase, isOverPhase } from '../../rules/hooks/fold-answers.js';
import { answerExpression, failedAnswer, firesFor } from '../../rules/hooks/hook-facts.js';
import { currentSpan, inSpanWithin } from '../../tracing/current-span.js';
import { hookError } from '../../tracing/task-spans.js';
import { answerBuiltinHook } from './builtin-handlers.js';
import { eventOf, factsOf, type HookContext, type HookRun } from './hook-context.js';
import type { HookDependencies } from './hook-dependencies.js';
import { suggestAbilities } from './suggest-handler.js';

export interface HookChoice {
  /** Skips hooks that do not block; bound hooks count as blocking. Source: R-002-21, R-002-24. */
  blockingOnly: boolean;
}

/**
 * Runs the hooks of an event in order, for all five events. Before a task and before a call the first deny ends
 * the phase; elsewhere hooks decide nothing, and all run. Never throws because of a hook: an error is an answer,
 * which denies before a call. Source: R-002-19 to R-002-23; docs/hooks.md.
 * @returns the answers in order; none for hooks that do not fire for the caller.
 */
export async function runHooks(
  event: Phase,
  context: HookContext,
  { blockingOnly }: HookChoice,
  dependencies: HookDependencies,
): Promise<HookAnswer[]> {
  const run: HookRun = { ...context, phase: event };
  const answers: HookAnswer[] = [];
  for (const hook of context.hooks) {
    if ((blockingOnly && hook.blocking === false) || !firesFor(hook, context.caller)) continue;
    const started = performance.now();
    const answer = await answerTraced(hook, run, dependencies);
    // Expressions may run in a workflow, which has no clock of its own.
    const took = hook.handler.kind !== 'expression' ? { duration_ms: Math.round(performance.now() - started) } : {};
    answers.push(withoutSignals({ ...answer, ...took }));
    if (answer.decision === 'deny' && isGuardPhase(event)) break;
  }
  return answers;
}

function answerTraced(hook: PlanHook, run: HookRun, dependencies: HookDependencies): Promise<HookAnswer> {
  const around = currentSpan();
  if (!around) return answerOne(hook, run, dependencies);
  const attributes = { [A.hook]: hook.id, [A.hookPhase]: run.phase, [A.hookHandler]: hook.handler.kind };
  return inSpanWithin(around, { name: `${OWN_SPANS.hook} ${hook.id}`, attributes }, async (span) => {
    const answer = await answerOne(hook, run, dependencies);
    span.set({ [A.hookDecision]: answer.decision });
    const error = hookError(answer);
    if (error !== undefined) span.fail(error);
    return answer;
  });
}

async function answerOne(hook: PlanHook, run: HookRun, dependencies: HookDependencies): Promise<HookAnswer> {
  const at = { phase: run.phase, path: run.path };
  try {
    switch (hook.handler.kind) {
      case 'expression': {
        return answerExpression(hook.id, hook.handler, at, factsOf(run), run.moment);
      }
      case 'builtin':
        if (hook.handler.name === 'suggest') return await suggestAbilities(hook.id, hook.handler, run, dependencies);
        return answerBuiltinHook(hook.id, { ...hook.handler, name: hook.handler.name }, run, dependencies);
      case 'script':
        return await dependencies.answerScript(hook.id, hook.handler, eventOf(run), run);
      case 'ability':
        return await dependencies.answerAbility(hook.id, hook.handler, eventOf(run), run);
    }
  } catch (error) {
    return failedAnswer(hook.id, at, reasonOf(error));
  }
}

/** Drops messages to an AI after the event, with a warning. Source: R-002-26. */
function withoutSignals(answer: HookAnswer): HookAnswer {
  if (!isOverPhase(answer.phase) || !answer.hook_signals) return answer;
  const { hook_signals: _, ...rest } = answer;
  const when = answer.phase === 'PostAbilityCall' ? 'after the call' : 'at the end of the session';
  const warning = `The hook ${answer.hook_id} gave hook_signals ${when}; they were dropped`;
  return { ...rest, warnings: [...(rest.warnings ?? []), warning] };
}
