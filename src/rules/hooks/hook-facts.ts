import type { Caller, Person } from '../../contracts/callers.js';
import type { EventContext, HookAnswer, Phase } from '../../contracts/hooks.js';
import type { Json, JsonObject } from '../../contracts/json.js';
import type { Plan, PlanHandler, PlanOperation } from '../../contracts/plan.js';
import { AbilityError } from '../../contracts/problem.js';
import { evaluateCondition } from '../expressions/condition.js';
import { handlerReadsSession } from '../sessions/session-reads.js';
import { oneLine } from '../shown-text.js';
import { isGuardPhase } from './fold-answers.js';

/** The names available in hook expressions. Source: docs/hooks.md. */
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

export type HookFacts = Record<(typeof HOOK_NAMES)[number], Json>;

export interface FactSources {
  plan: Plan;
  /** Undefined for the task as a whole. */
  operation: PlanOperation | undefined;
  input: JsonObject;
  task: string;
  user: Person;
  session: string | null;
  outcome?: { status: string; output: Json; error: unknown };
}

/** The values for a call or a task: the same in workflow, activity and preflight. */
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

/** The values for an event of a session, which has no ability and no task. `input` is its payload. */
export function sessionFacts({ payload, environment, session, user }: SessionSources): HookFacts {
  return {
    input: payload,
    environment: { name: environment.name, protected: environment.protected, vars: environment.vars },
    ability: null,
    implementation: null,
    effects: null,
    tags: [],
    task: null,
    session: { id: session },
    user: { name: user.name, source: user.source },
    outcome: null,
  };
}

/** The values from an EventContext alone, to try out a hook without a task. */
export function eventFacts(event: EventContext): HookFacts {
  const { event_type, ability_id, module_id, task_id, session_id, effects, tags, user_id } = event;
  const payload = event.payload as JsonObject;
  const { input = {}, status = 'succeeded', output = null, error = null } = payload;
  const isAfter = event_type === 'PostAbilityCall';
  const modules = module_id === null ? [] : [module_id];
  return {
    input: isAfter ? input : payload,
    environment: { ...event.environment },
    ability: ability_id === null ? null : { id: ability_id, version: 1, modules },
    implementation: null,
    effects,
    tags,
    task: task_id === null ? null : { key: task_id, ability: ability_id },
    session: session_id === null ? null : { id: session_id },
    user: { name: user_id, source: 'claimed' },
    outcome: isAfter ? { status, output, error } : null,
  };
}

export interface SessionSources {
  session: string;
  payload: JsonObject;
  environment: { name: string; protected: boolean; vars: JsonObject };
  user: Person;
}

/**
 * An expression that cannot be evaluated is an error, which denies a call. Source: docs/hooks.md.
 * @param moment time of the phase, milliseconds since 1970: `now()` of all its hooks.
 */
export function answerExpression(
  id: string,
  handler: Extract<PlanHandler, { kind: 'expression' }>,
  at: { phase: Phase; path: string },
  facts: HookFacts,
  moment: number,
): HookAnswer {
  const clock = new HookClock(moment);
  const isTrue = (condition: string | undefined): boolean =>
    condition !== undefined && evaluateCondition(condition, facts, clock.around);
  const answer = { hook_id: id, ...at, status: 'ok', decision: 'allow' } as const;
  try {
    if (isTrue(handler.deny_if)) return { ...answer, decision: 'deny', ...whyOf(handler), ...clock.seen };
    const warned = isTrue(handler.warn_if) ? { warnings: [oneLine(handler.reason)] } : {};
    if (isTrue(handler.confirm_if))
      return { ...answer, decision: 'need_user_confirm', ...whyOf(handler), ...warned, ...clock.seen };
    return { ...answer, ...warned, ...clock.seen };
  } catch (error) {
    if (!(error instanceof AbilityError)) throw error;
    const advice = facts.session === null && handlerReadsSession(handler) ? OUTSIDE_OF_SESSION : undefined;
    return { ...failedAnswer(id, at, error.message, advice), ...clock.seen };
  }
}

/** Suggestion if a guard reads the session, and the call has none. */
const OUTSIDE_OF_SESSION =
  'Run it in a session: `ability session start`, then `--session ID`; or have the guard begin with `session == null ||` or `session != null &&`.';

/** The clock of a hook. If the hook reads it, the answer reports its value. */
class HookClock {
  private wasRead = false;

  constructor(private readonly moment: number) {}

  readonly around = {
    now: (): number => {
      this.wasRead = true;
      return this.moment;
    },
  };

  get seen(): Pick<HookAnswer, 'moment'> {
    return this.wasRead ? { moment: new Date(this.moment).toISOString() } : {};
  }
}

/** The answer for a hook that crashed, hung or gave none; it denies in a guard phase. Source: C-08. */
export function failedAnswer(
  id: string,
  { phase, path }: { phase: Phase; path: string },
  reason: string,
  suggestion?: string,
): HookAnswer {
  const decision = isGuardPhase(phase) ? 'deny' : 'allow';
  return { hook_id: id, phase, path, status: 'error', decision, reason, ...(suggestion && { suggestion }) };
}

function whyOf({
  reason,
  suggestion,
}: {
  reason: string;
  suggestion?: string;
}): Pick<HookAnswer, 'reason' | 'suggestion'> {
  return { reason: oneLine(reason), ...(suggestion !== undefined && { suggestion: oneLine(suggestion) }) };
}

/** A failed guard reports that it failed, not that it denied. Source: docs/architecture.md#promises. */
export function denialOf(answer: HookAnswer): AbilityError {
  const failed = answer.status === 'error';
  return new AbilityError({
    code: failed ? 'hook.failed' : 'guard.denied',
    message: failed
      ? `The guard ${answer.hook_id} failed, and a guard that cannot answer denies the call: ${answer.reason ?? 'no reason'}`
      : `${oneLine(answer.reason ?? 'Denied.')} (hook ${answer.hook_id})`,
    details: {
      hook_id: answer.hook_id,
      phase: answer.phase,
      path: answer.path,
      ...(answer.moment !== undefined && { moment: answer.moment }),
    },
    ...(answer.suggestion !== undefined && { suggestion: oneLine(answer.suggestion) }),
  });
}

/**
 * @param hook planned, or the `match` of a definition.
 * @param caller undefined if the build that started the task did not record it: every hook fires then, since only
 * a known caller may leave out a guard.
 */
export function firesFor(
  { callers }: { callers?: readonly Caller[] | undefined },
  caller: Caller | undefined,
): boolean {
  return callers === undefined || caller === undefined || callers.includes(caller);
}
