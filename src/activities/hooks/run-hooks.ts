import type { HookAnswer, Phase } from '../../contracts/hooks.js';
import type { PlanHook } from '../../contracts/plan.js';
import { reasonOf } from '../../contracts/problem.js';
import { ATTRIBUTES as A, OWN_SPANS } from '../../contracts/traces.js';
import { isGuardPhase, isOverPhase } from '../../rules/hooks/fold-answers.js';
import {
  answerByFacts,
  failedAnswer,
  firesFor,
  type HandlerName,
  type HandlerOf,
  needsActivity,
} from '../../rules/hooks/handlers.js';
import { currentSpan, inSpanWithin } from '../../tracing/current-span.js';
import { hookError } from '../../tracing/task-spans.js';
import { answerBuiltinHook } from './builtin-handlers.js';
import { eventOf, factsOf, type HookContext, type HookRun } from './hook-context.js';
import type { HookDependencies } from './hook-dependencies.js';

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
    const took = needsActivity(hook) ? { duration_ms: Math.round(performance.now() - started) } : {};
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

type Answer<K extends HandlerName> = (
  id: string,
  handler: HandlerOf<K>,
  run: HookRun,
  dependencies: HookDependencies,
) => HookAnswer | Promise<HookAnswer>;

const ANSWERS: { readonly [K in HandlerName]: Answer<K> } = {
  expression: (id, handler, run) => answerByFacts({ id, handler }, run, factsOf(run), run.moment),
  script: (id, handler, run, { answerScript }) => answerScript(id, handler, eventOf(run), run),
  builtin: answerBuiltinHook,
  ability: (id, handler, run, { answerAbility }) => answerAbility(id, handler, eventOf(run), run),
};

function answersOf<K extends HandlerName>({ kind }: { kind: K }): Answer<K> {
  return ANSWERS[kind];
}

async function answerOne({ id, handler }: PlanHook, run: HookRun, dependencies: HookDependencies): Promise<HookAnswer> {
  try {
    return await answersOf(handler)(id, handler, run, dependencies);
  } catch (error) {
    return failedAnswer(id, run, reasonOf(error));
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
