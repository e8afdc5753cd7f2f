import type { Caller, Person } from '../../contracts/callers.js';
import type { EventContext, Phase } from '../../contracts/hooks.js';
import type { JsonObject } from '../../contracts/json.js';
import type { PlanEnvironment, PlanHook } from '../../contracts/plan.js';
import { eventFacts, type FactSources, type HookFacts, hookFacts } from '../../rules/hooks/handlers.js';
import type { Admitted } from '../admission.js';
import type { SharedLog } from '../record/record-folder.js';

export type HookContext = TaskContext | SessionContext;

interface Surroundings {
  /** `''` for the task or the session itself. */
  path: string;
  /** Value of `now()`; milliseconds since 1970. */
  moment: number;
  /** In the order in which they run. */
  hooks: readonly PlanHook[];
  user: Person;
  /** Undefined: not known, so that every hook fires. Required, so that no guard is asked without it by mistake. */
  caller: Caller | undefined;
  signal: AbortSignal;
  /** Where the output of hooks goes; undefined: nowhere. */
  logs: HookLogs | undefined;
  /** Trace context of the request that created the task, a W3C `traceparent`; absent: none. */
  trace?: string;
}

/** One phase around one call, or around the task (`path` is `''`). */
export interface TaskContext extends Surroundings, FactSources {
  planDigest: string | null;
  /** The folder of the project that the task is about; undefined: not known. */
  scope: string | undefined;
}

/** An event of a session, without ability, plan or task. */
export interface SessionContext extends Surroundings {
  session: string;
  /** Payload of the event; expressions read it as `input`. */
  payload: JsonObject;
  environment: Pick<PlanEnvironment, 'name' | 'protected' | 'vars'>;
  /** Module of the session's scope. */
  module: string | null;
}

/** What is the same in all phases of a task. */
export function aboutTask({ plan, seal, user, session, caller, trace }: Admitted) {
  const traced = trace === undefined ? {} : { trace };
  return { plan, user, session, scope: seal.scope, caller, planDigest: seal.plan, ...traced };
}

export interface HookLogs {
  folder: string | undefined;
  /** @param step name of the hook among the logs. */
  share(step: string): SharedLog | undefined;
}

export type HookRun = HookContext & { phase: Phase };

export function isOfTask<Run extends HookContext>(run: Run): run is Extract<Run, TaskContext> {
  return 'plan' in run;
}

export function factsOf(run: HookRun): HookFacts {
  if (isOfTask(run)) return hookFacts(run);
  const { name, source } = run.user;
  return { ...eventFacts(eventOf(run)), user: { name, source } };
}

export function environmentIn(run: HookRun): SessionContext['environment'] {
  const { name, protected: isProtected, vars } = isOfTask(run) ? run.plan.environment : run.environment;
  return { name, protected: isProtected, vars };
}

/** What expressions in the texts of a script see. */
export type HookValues = {
  input: JsonObject;
  environment: SessionContext['environment'];
  task: { key: string; ability: string } | null;
};

export function valuesOf(run: HookRun): HookValues {
  const environment = environmentIn(run);
  if (!isOfTask(run)) return { input: run.payload, environment, task: null };
  return { input: run.input, environment, task: { key: run.task, ability: run.plan.ability.id } };
}

/** Input of a handler on stdin. Source: R-002-17. */
export function eventOf(run: HookRun): EventContext {
  const who = { session_id: run.session, user_id: run.user.name };
  const environment = environmentIn(run);
  if (!isOfTask(run)) {
    const { phase, module, payload } = run;
    const nothing = { task_id: null, ability_id: null, effects: null, tags: [], plan_digest: null };
    return { event_type: phase, ...who, ...nothing, module_id: module, payload, environment };
  }
  const { plan, operation, input, outcome } = run;
  const about = operation ?? plan.ability;
  return {
    event_type: run.phase,
    session_id: run.session,
    task_id: run.task,
    ability_id: operation ? operation.key : plan.ability.id,
    // The definition wins: a caller chooses the scope, and could otherwise evade a guard that reads it.
    module_id: about.modules[0] ?? run.scope ?? null,
    user_id: run.user.name,
    payload: outcome ? { input, status: outcome.status, output: outcome.output, error: outcome.error as never } : input,
    environment,
    effects: about.effects,
    tags: operation ? operation.implementation.tags : plan.ability.tags,
    plan_digest: run.planDigest,
  };
}
