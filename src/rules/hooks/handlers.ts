import type { Caller, Person } from '../../contracts/callers.js';
import type { EventContext, HookAnswer } from '../../contracts/hooks.js';
import type { Json, JsonObject } from '../../contracts/json.js';
import type { Plan, PlanHandler, PlanHook, PlanHooks, PlanOperation, PlanScript } from '../../contracts/plan.js';
import { AbilityError } from '../../contracts/problem.js';
import { kindOf } from '../../kinds/kinds.js';
import { evaluateCondition } from '../expressions/evaluate.js';
import { type ExpressionHandler, handlerReadsSession } from '../sessions/session-reads.js';
import { oneLine } from '../shown-text.js';
import { isGuardPhase } from './fold-answers.js';

/** The names available in hook expressions. */
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

/** Where a hook is asked: a step path, or `''` for the task or the session itself. */
export type HookPlace = Pick<HookAnswer, 'phase' | 'path'>;

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

/** The values from an EventContext alone: for an event of a session, and to try out a hook without a task. */
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

/**
 * An expression that cannot be evaluated is an error, which denies a call.
 * @param moment time of the phase, milliseconds since 1970: `now()` of all its hooks.
 */
export function answerExpression(
  id: string,
  handler: ExpressionHandler,
  at: HookPlace,
  facts: HookFacts,
  moment: number,
): HookAnswer {
  // If the hook reads the clock, the answer reports its value.
  let seen: Pick<HookAnswer, 'moment'> = {};
  const now = (): number => {
    seen = { moment: new Date(moment).toISOString() };
    return moment;
  };
  const isTrue = (condition: string | undefined): boolean =>
    condition !== undefined && evaluateCondition(condition, facts, { now });
  const answer = allowedAnswer(id, at);
  try {
    if (isTrue(handler.deny_if)) return { ...answer, decision: 'deny', ...whyOf(handler), ...seen };
    const warned = isTrue(handler.warn_if) ? { warnings: [oneLine(handler.reason)] } : {};
    if (isTrue(handler.confirm_if))
      return { ...answer, decision: 'need_user_confirm', ...whyOf(handler), ...warned, ...seen };
    return { ...answer, ...warned, ...seen };
  } catch (error) {
    if (!(error instanceof AbilityError)) throw error;
    const advice = facts.session === null && handlerReadsSession(handler) ? OUTSIDE_OF_SESSION : undefined;
    return { ...failedAnswer(id, at, error.message, advice), ...seen };
  }
}

/** Suggestion if a guard reads the session, and the call has none. */
const OUTSIDE_OF_SESSION =
  'Run it in a session: `ability session start`, then `--session ID`; or have the guard begin with `session == null ||` or `session != null &&`.';

export function allowedAnswer(id: string, { phase, path }: HookPlace) {
  return { hook_id: id, phase, path, status: 'ok', decision: 'allow' } as const;
}

/** The answer for a hook that crashed, hung or gave none; it denies in a guard phase. Source: C-08. */
export function failedAnswer(id: string, { phase, path }: HookPlace, reason: string, suggestion?: string): HookAnswer {
  const decision = isGuardPhase(phase) ? 'deny' : 'allow';
  return { hook_id: id, phase, path, status: 'error', decision, reason, ...(suggestion && { suggestion }) };
}

function whyOf({ reason, suggestion }: ExpressionHandler): Pick<HookAnswer, 'reason' | 'suggestion'> {
  return { reason: oneLine(reason), ...(suggestion !== undefined && { suggestion: oneLine(suggestion) }) };
}

export function failureOf({ hook_id, reason = 'no reason' }: HookAnswer): string {
  return `The guard ${hook_id} failed, and a guard that cannot answer denies the call: ${reason}`;
}

/** A failed guard reports that it failed, not that it denied. Source: docs/architecture.md#promises. */
export function denialOf(answer: HookAnswer): AbilityError {
  const failed = answer.status === 'error';
  return new AbilityError({
    code: failed ? 'hook.failed' : 'guard.denied',
    message: failed ? failureOf(answer) : `${oneLine(answer.reason ?? 'Denied.')} (hook ${answer.hook_id})`,
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
 * @param caller undefined if it is not known: every hook fires then, since only a known caller may leave out a guard.
 */
export function firesFor(
  { callers }: { callers?: readonly Caller[] | undefined },
  caller: Caller | undefined,
): boolean {
  return callers === undefined || caller === undefined || callers.includes(caller);
}

export type HandlerName = PlanHandler['kind'];
export type HandlerOf<K extends HandlerName> = Extract<PlanHandler, { kind: K }>;

interface HandlerKind<K extends HandlerName> {
  /** Answers by facts alone, so also in a workflow or in a process of its own; null: it needs an activity. */
  answer: ((id: string, handler: HandlerOf<K>, at: HookPlace, facts: HookFacts, moment: number) => HookAnswer) | null;
  /** Whether the attempt of a call asks it, and so no activity: it takes almost no time. */
  isInAttempt: boolean;
  /** Whether its definition says that it may ask people; only an answer says that of a program. */
  isSeenToAsk(handler: HandlerOf<K>): boolean;
  /** Whether people may raise the limit at which it denies. */
  hasRaisableLimit(handler: HandlerOf<K>): boolean;
  /** Its own scripts, without those of its ability. */
  scripts(handler: HandlerOf<K>): PlanScript[];
  /** The low-level ability that it calls. */
  ability(handler: HandlerOf<K>): PlanOperation | undefined;
  withAbility(handler: HandlerOf<K>, operation: PlanOperation): HandlerOf<K>;
}

/** What most handlers have not. */
const PLAIN = {
  answer: null,
  isInAttempt: false,
  isSeenToAsk: () => false,
  hasRaisableLimit: () => false,
  scripts: () => [],
  ability: () => undefined,
  withAbility: <T>(handler: T): T => handler,
} as const;

/** The kinds of handlers in a plan: the one place that lists them. */
const HANDLERS: { readonly [K in HandlerName]: HandlerKind<K> } = {
  expression: {
    ...PLAIN,
    answer: answerExpression,
    isSeenToAsk: ({ confirm_if, on_limit }) => (confirm_if ?? on_limit) !== undefined,
    hasRaisableLimit: ({ on_limit }) => on_limit === 'ask',
  },
  script: { ...PLAIN, scripts: ({ script }) => [script] },
  builtin: { ...PLAIN, isInAttempt: true },
  ability: {
    ...PLAIN,
    ability: ({ operation }) => operation,
    withAbility: (handler, operation) => ({ ...handler, operation }),
  },
};

export function handlerKindOf<K extends HandlerName>({ kind }: { kind: K }): HandlerKind<K> {
  return HANDLERS[kind];
}

/** Whether facts alone answer a hook: see {@link answerByFacts}. */
export function needsActivity({ handler }: { handler: PlanHandler }): boolean {
  return handlerKindOf(handler).answer === null;
}

/** @throws Error for a handler that needs an activity; it must not count as one that allows. */
export function answerByFacts(
  { id, handler }: { id: string; handler: PlanHandler },
  at: HookPlace,
  facts: HookFacts,
  moment: number,
): HookAnswer {
  const { answer } = handlerKindOf(handler);
  if (!answer) throw new Error(`the hook ${id} cannot be answered here`);
  return answer(id, handler, at, facts, moment);
}

/** The scripts that a handler runs, either directly or through an ability. */
export function scriptsOfHandler(handler: PlanHandler): PlanScript[] {
  const kind = handlerKindOf(handler);
  const implementation = kind.ability(handler)?.implementation;
  return [...kind.scripts(handler), ...(implementation ? kindOf(implementation).scripts(implementation) : [])];
}

export function hooksOf({ pre_create, pre_call, post_call }: PlanHooks): PlanHook[] {
  return [...pre_create, ...pre_call, ...post_call];
}
