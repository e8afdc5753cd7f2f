import type { EventContext, HookAnswer, Phase } from '../../contracts/hooks.js';
import { FIRST_CEL } from '../../contracts/names.js';
import type { PlanHandler, PlanHook } from '../../contracts/plan.js';
import { answerExpression, type FactSources, failedAnswer, hookFacts } from '../../rules/hook-facts.js';
import type { SharedLog } from '../record/task-share.js';
import type { SecretSource } from '../secrets.js';
import { answerBuiltin } from './builtins.js';

/** Answers for a hook whose handler is a script. @throws where it cannot be asked, which counts as a failed hook. */
export type AnswerScript = (
  id: string,
  handler: Extract<PlanHandler, { kind: 'script' }>,
  context: EventContext,
  run: HookRun,
) => Promise<HookAnswer>;

/** What hooks need to run outside the workflow. */
export interface HookDependencies {
  answerScript: AnswerScript;
  secrets: (environment: string) => SecretSource;
  /** Appends one line to the project's usage log. */
  recordUsage: (line: Record<string, unknown>) => void;
}

/** One phase around one call, or around the task (`path` is `''`). */
export interface HookRun extends FactSources {
  phase: Phase;
  path: string;
  /** What `now()` gives; milliseconds since 1970. */
  moment: number;
  hooks: readonly PlanHook[];
  planDigest: string | null;
  signal: AbortSignal;
  /** Where what they print goes; undefined: nowhere. */
  logs: HookLogs | undefined;
}

/** The logs of a task. */
export interface HookLogs {
  folder: string | undefined;
  /** @param step as which the hook is named among the logs. */
  share(step: string): SharedLog | undefined;
}

/**
 * Runs the hooks of a phase one after another; the first deny ends it. Source: design, section 7; R-002-22, R-002-23.
 *
 * Never throws for what a hook does: an error is an answer, and before a call that answer is a no.
 */
export async function runHooks(run: HookRun, dependencies: HookDependencies): Promise<HookAnswer[]> {
  const answers: HookAnswer[] = [];
  for (const hook of run.hooks) {
    const started = performance.now();
    const answer = await answerOne(hook, run, dependencies);
    // How long a script took tells something; the others answer at once.
    const took = hook.handler.kind === 'script' ? { duration_ms: Math.round(performance.now() - started) } : {};
    answers.push(withoutSignals({ ...answer, ...took }));
    if (answer.decision === 'deny') break;
  }
  return answers;
}

async function answerOne(hook: PlanHook, run: HookRun, dependencies: HookDependencies): Promise<HookAnswer> {
  const at = { phase: run.phase, path: run.path };
  try {
    switch (hook.handler.kind) {
      case 'expression':
        return answerExpression(hook.id, hook.handler, at, hookFacts(run), {
          moment: run.moment,
          cel: run.plan.cel ?? FIRST_CEL,
        });
      case 'builtin':
        return answerBuiltin(hook.id, hook.handler, run, dependencies);
      case 'script':
        return await dependencies.answerScript(hook.id, hook.handler, contextOf(run), run);
    }
  } catch (error) {
    return failedAnswer(hook.id, at, error instanceof Error ? error.message : String(error));
  }
}

/** Hooks after a call are for the infrastructure; what they say to an AI is dropped, and told. Source: R-002-26. */
function withoutSignals(answer: HookAnswer): HookAnswer {
  if (answer.phase !== 'PostAbilityCall' || !answer.hook_signals) return answer;
  const { hook_signals: _, ...rest } = answer;
  const warning = `The hook ${answer.hook_id} gave hook_signals after the call; they were dropped`;
  return { ...rest, warnings: [...(rest.warnings ?? []), warning] };
}

/** What a handler reads on stdin. Source: R-002-17. */
function contextOf(run: HookRun): EventContext {
  const { plan, operation, input, outcome } = run;
  const about = operation ?? plan.ability;
  const { name, protected: isProtected, vars } = plan.environment;
  return {
    event_type: run.phase,
    session_id: run.session,
    task_id: run.task,
    ability_id: operation ? operation.key : plan.ability.id,
    module_id: about.modules[0] ?? null,
    user_id: run.user.name,
    payload: outcome ? { input, status: outcome.status, output: outcome.output, error: outcome.error as never } : input,
    environment: { name, protected: isProtected, vars },
    effects: about.effects,
    tags: operation ? operation.implementation.tags : plan.ability.tags,
    plan_digest: run.planDigest,
  };
}
