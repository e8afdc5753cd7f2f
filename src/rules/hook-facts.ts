import type { HookAnswer, Phase } from '../contracts/hooks.js';
import type { Json, JsonObject } from '../contracts/json.js';
import type { Person } from '../contracts/people.js';
import type { Plan, PlanHandler, PlanOperation } from '../contracts/plan.js';
import { AbilityError } from '../contracts/problem.js';
import { evaluateCondition } from './expressions/condition.js';
import { isGuardPhase } from './guard-precedence.js';
import { oneLine } from './shown-text.js';

/** The names hook expressions see. Source: design, section 7. */
export const HOOK_NAMES = [
  'input',
  'environment',
  'ability',
  'implementation',
  'effects',
  'tags',
  'task',
  'session',
  'user',
  'outcome',
] as const;

/** The values of those names around one call, or around the task. */
export type HookFacts = Record<(typeof HOOK_NAMES)[number], Json>;

/** What the facts are drawn from. */
export interface FactSources {
  plan: Plan;
  /** The operation called; undefined for the task as a whole. */
  operation: PlanOperation | undefined;
  input: JsonObject;
  task: string;
  user: Person;
  session: string | null;
  outcome?: { status: string; output: Json; error: unknown };
}

/** Draws the pinned facts from a plan, the same in workflow, activity and preflight. */
export function hookFacts({ plan, operation, input, task, user, session, outcome }: FactSources): HookFacts {
  const { ability, environment } = plan;
  const about = operation
    ? { id: operation.key, version: operation.version, modules: operation.modules }
    : { id: ability.id, version: ability.version, modules: ability.modules };
  const implementation = operation && { id: operation.implementation.id, kind: operation.implementation.kind };
  return {
    input,
    environment: { name: environment.name, protected: environment.protected, vars: environment.vars },
    ability: about,
    implementation: implementation ?? null,
    effects: operation ? operation.effects : ability.effects,
    tags: operation ? operation.implementation.tags : ability.tags,
    task: { key: task, ability: ability.id },
    session: session === null ? null : { id: session },
    user: { name: user.name, source: user.source },
    outcome: (outcome ?? null) as Json,
  };
}

/**
 * What an expression handler answers.
 *
 * An expression that cannot be evaluated is an error, and an error before a call is a no. Source: design, section 7.
 *
 * @param cel the version of the plan, where a history may have to replay.
 */
export function answerExpression(
  id: string,
  handler: Extract<PlanHandler, { kind: 'expression' }>,
  at: { phase: Phase; path: string },
  facts: HookFacts,
  cel?: string,
): HookAnswer {
  const answer = { hook_id: id, ...at, status: 'ok', decision: 'allow' } as const;
  try {
    if (isTrue(handler.deny_if, facts, cel)) return { ...answer, decision: 'deny', ...whyOf(handler) };
    const warned = isTrue(handler.warn_if, facts, cel) ? { warnings: [oneLine(handler.reason)] } : {};
    if (isTrue(handler.confirm_if, facts, cel))
      return { ...answer, decision: 'need_user_confirm', ...whyOf(handler), ...warned };
    return { ...answer, ...warned };
  } catch (error) {
    if (!(error instanceof AbilityError)) throw error;
    return failedAnswer(id, at, error.message);
  }
}

/** The answer of a hook that crashed, hung or gave none: before a call that refuses. Source: C-08. */
export function failedAnswer(
  id: string,
  { phase, path }: { phase: Phase; path: string },
  reason: string,
  suggestion?: string,
): HookAnswer {
  const decision = isGuardPhase(phase) ? 'deny' : 'allow';
  return { hook_id: id, phase, path, status: 'error', decision, reason, ...(suggestion && { suggestion }) };
}

/** What is shown to people, as one line at every door. */
function whyOf({
  reason,
  suggestion,
}: {
  reason: string;
  suggestion?: string;
}): Pick<HookAnswer, 'reason' | 'suggestion'> {
  return { reason: oneLine(reason), ...(suggestion !== undefined && { suggestion: oneLine(suggestion) }) };
}

function isTrue(condition: string | undefined, facts: HookFacts, cel: string | undefined): boolean {
  return condition !== undefined && evaluateCondition(condition, facts, cel);
}

/** The error a deny is reported as. Source: design, section 1: a failed guard says that it failed, not that it denied. */
export function denialOf(answer: HookAnswer): AbilityError {
  const failed = answer.status === 'error';
  return new AbilityError({
    code: failed ? 'hook.failed' : 'guard.denied',
    message: failed
      ? `The guard ${answer.hook_id} failed, and a guard that cannot answer is a no: ${answer.reason ?? 'no reason'}`
      : `${oneLine(answer.reason ?? 'Denied.')} (hook ${answer.hook_id})`,
    details: { hook_id: answer.hook_id, phase: answer.phase, path: answer.path },
    ...(answer.suggestion !== undefined && { suggestion: oneLine(answer.suggestion) }),
  });
}
