import type { Effect } from '../../contracts/effects.js';
import { type EventContext, type GuardDecision, isSessionPhase, type Phase } from '../../contracts/hooks.js';
import type { JsonObject } from '../../contracts/json.js';
import { AbilityError, usageError } from '../../contracts/problem.js';
import type { EventParts, HookExample } from '../../definitions/formats/hooks.js';
import type { Registry } from '../../definitions/registry.js';
import { defined } from '../../text/defined.js';

export interface HookCase {
  event: EventContext;
  /** Milliseconds since 1970; undefined: the current time. */
  now: number | undefined;
  expect: GuardDecision;
}

/** Builds the event of an example. @throws AbilityError `environment.not_found`. */
export function caseOf(registry: Registry, phase: Phase, example: HookExample): HookCase {
  const now = example.now === undefined ? undefined : Date.parse(example.now);
  if ('context' in example) return { event: eventOf(registry, phase, example.context), now, expect: example.expect };
  const { ability, input, environment, effects, tags, user, decision } = example;
  const parts: EventParts = defined({ ability_id: ability, payload: input, environment, effects, tags, user_id: user });
  return { event: eventOf(registry, phase, parts), now, expect: decision };
}

/** Completes a partial event; missing parts are empty. @throws AbilityError `environment.not_found`. */
export function eventOf(registry: Registry, phase: Phase, parts: EventParts): EventContext {
  const isOfSession = isSessionPhase(phase);
  const { event_type, environment, effects, user_id = 'example', payload = {}, tags = [], ...rest } = parts;
  if (event_type !== undefined && event_type !== phase) {
    throw usageError(`The event is ${event_type}, and the hook is one of ${phase}`);
  }
  const nothing: Effect | null = isOfSession ? null : 'read';
  return {
    event_type: phase,
    session_id: rest.session_id ?? (isOfSession ? 'example' : null),
    task_id: rest.task_id ?? (isOfSession ? null : 'example'),
    ability_id: rest.ability_id ?? (isOfSession ? null : 'example'),
    module_id: rest.module_id ?? null,
    user_id,
    payload: payload as JsonObject,
    environment: environmentOf(registry, environment),
    effects: effects ?? nothing,
    tags,
    plan_digest: rest.plan_digest ?? null,
  };
}

function environmentOf(registry: Registry, given: EventParts['environment']): EventContext['environment'] {
  const { project } = registry;
  const own = typeof given === 'string' ? { name: given } : given;
  const name = own?.name ?? project.default_environment ?? Object.keys(project.environments)[0] ?? '';
  if (!Object.hasOwn(project.environments, name)) {
    throw new AbilityError({ code: 'environment.not_found', message: `The project has no environment \`${name}\`` });
  }
  return { ...hookEnvironment(registry, name), ...defined({ ...own }) } as EventContext['environment'];
}

export function hookEnvironment({ project }: Registry, name: string): EventContext['environment'] {
  const { protected: isProtected = false, vars = {} } = project.environments[name] ?? {};
  return { name, protected: isProtected, vars: vars as JsonObject };
}
