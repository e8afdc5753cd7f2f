import type { SessionPhase } from '../../contracts/hooks.js';
import type { PlanHook } from '../../contracts/plan.js';
import { invalidDefinition } from '../../contracts/problem.js';
import { fits } from '../../definitions/fits-match.js';
import type { HookDefinition } from '../../definitions/formats/hooks.js';
import type { Loaded, Registry } from '../../definitions/registry.js';
import { EnvironmentVariables } from '../secrets/secret-source.js';
import { plannedHook, refuseUnreadable } from './resolve-hooks.js';

export interface SessionSubject {
  environment: string;
  /** Modules of the session's scope; empty if it has none. */
  modules: readonly string[];
}

/** Fields of `match` that need an ability or a task. `callers` too: a prompt only claims who its caller is. */
const NOT_OF_SESSIONS = ['abilities', 'kinds', 'effects', 'tags', 'callers'] as const;

/**
 * Hooks in file order. @param variables for `env:NAME`; default: those of the process and `.env` files.
 * @throws AbilityError for an unreadable file, and for a `match` or handler that the event does not allow.
 */
export function resolveEventHooks(
  registry: Registry,
  phase: SessionPhase,
  subject: SessionSubject,
  variables = new EnvironmentVariables(registry.root, subject.environment),
): PlanHook[] {
  refuseUnreadable(phase, registry);
  const defined = registry.hooks.get(phase) ?? [];
  return defined
    .filter(({ value }) => value.enabled)
    .map((hook) => ({ hook, planned: planEventHook(hook, phase, registry, variables) }))
    .filter(({ hook: { value } }) => {
      const { environments, modules } = value.match ?? {};
      return fits(environments, [subject.environment]) && fits(modules, subject.modules);
    })
    .map(({ planned }) => planned);
}

/** @throws AbilityError `definition.invalid` for a `match` or handler that its phase does not allow. */
export function planEventHook(
  hook: Loaded<HookDefinition>,
  phase: SessionPhase,
  registry: Registry,
  variables: EnvironmentVariables,
): PlanHook {
  const { id, match = {}, blocking } = hook.value;
  const wrong = NOT_OF_SESSIONS.find((key) => match[key] !== undefined);
  if (wrong !== undefined) {
    throw invalidDefinition(
      `The hook ${id} matches ${wrong}, and ${phase} is about no ability and no task`,
      hook.locate(['match', wrong], 'key'),
      'Match `environments` or `modules`, or move the hook to PreAbilityCall.yaml.',
    );
  }
  return { ...plannedHook(hook, phase, registry, variables), ...(!blocking && { blocking: false }) };
}
