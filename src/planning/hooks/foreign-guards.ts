import type { PlanForeignHook } from '../../contracts/foreign-hooks.js';
import type { EventContext } from '../../contracts/hooks.js';
import type { Problem } from '../../contracts/problem.js';
import { isForeign } from '../../definitions/foreign-hook.js';
import type { HookDefinition } from '../../definitions/formats/hooks.js';
import type { Loaded, Registry } from '../../definitions/registry.js';
import type { HandlerOf } from '../../rules/hooks/handlers.js';
import { unlessRefused } from '../../text/attempt.js';
import { EnvironmentVariables } from '../secrets/secret-source.js';
import { mappedAbilityOf } from './resolve-foreign.js';
import { handlerOf } from './resolve-handler.js';

/** A script handler that speaks the protocol of another tool. */
export type ForeignHandler = HandlerOf<'script'> & { foreign: PlanForeignHook };

/** A guard written for another tool with a `must_deny`, resolved for an environment. */
export interface ForeignGuard {
  hook: Loaded<HookDefinition>;
  handler: ForeignHandler;
}

export type HookEnvironment = EventContext['environment'];

/** The guards written for another tool with a `must_deny`, and the errors of those that cannot be resolved. */
export function foreignGuards(
  registry: Registry,
  environment: string,
): { guards: ForeignGuard[]; problems: { hook: Loaded<HookDefinition>; problem: Problem }[] } {
  const guards: ForeignGuard[] = [];
  const problems: { hook: Loaded<HookDefinition>; problem: Problem }[] = [];
  for (const hook of registry.hooks.get('PreAbilityCall') ?? []) {
    if (!hook.value.enabled || !isForeign(hook.value) || !hook.value.must_deny) continue;
    const handler = unlessRefused(
      () => guardOf(hook, registry, environment),
      (refusal) => void problems.push({ hook, problem: refusal.toProblem() }),
    );
    if (handler) guards.push({ hook, handler });
  }
  return { guards, problems };
}

/** Resolved for the first ability that `as` maps; `must_deny` holds the calls of all abilities. */
function guardOf(hook: Loaded<HookDefinition>, registry: Registry, environment: string): ForeignHandler | undefined {
  const variables = new EnvironmentVariables(registry.root, environment);
  for (const [index, { ability }] of (hook.value.must_deny ?? []).entries()) {
    const subject = mappedAbilityOf(registry, ability, environment, hook, ['must_deny', index]);
    const handler = handlerOf(hook, 'PreAbilityCall', registry, variables, subject);
    if (handler.kind === 'script' && handler.foreign) return { ...handler, foreign: handler.foreign };
  }
  return undefined;
}
