import type { SessionPhase } from '../../contracts/hooks.js';
import type { PlanHook } from '../../contracts/plan.js';
import { AbilityError } from '../../contracts/problem.js';
import type { HookDefinition } from '../../definitions/formats/hooks.js';
import type { Loaded, Registry } from '../../definitions/registry.js';
import { EnvironmentVariables } from '../secrets/secret-source.js';
import { fits, plannedHook, refuseUnreadable } from './resolve-hooks.js';

/** The subject that `match` of a session's hooks is tested against. */
export interface SessionSubject {
  environment: string;
  /** Modules of the session's scope; empty where it has none. */
  modules: readonly string[];
}

/** Fields of `match` about an ability or a task: an event of a session has neither, and who prompts is a claim. */
const NOT_OF_SESSIONS = ['abilities', 'kinds', 'effects', 'tags', 'callers'] as const;

/**
 * The hooks of a session's event, in the order of their file; for `runHooks`, which chooses those that block.
 *
 * @param variables values for `env:NAME`; left out: those of this process and the project's `.env` files.
 * @throws AbilityError for a file that cannot be read, and for a `match` or handler that does not belong there.
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

/** One hook, resolved. @throws AbilityError `definition.invalid` for a `match` or handler that does not belong there. */
export function planEventHook(
  hook: Loaded<HookDefinition>,
  phase: SessionPhase,
  registry: Registry,
  variables: EnvironmentVariables,
): PlanHook {
  const { id, match = {}, blocking } = hook.value;
  const wrong = NOT_OF_SESSIONS.find((key) => match[key] !== undefined);
  if (wrong !== undefined) {
    throw new AbilityError({
      code: 'definition.invalid',
      message: `The hook ${id} matches ${wrong}, and ${phase} is about no ability and no task`,
      location: hook.locate(['match', wrong], 'key'),
      suggestion: 'Match `environments` or `modules`, or move the hook to PreAbilityCall.yaml.',
    });
  }
  return { ...plannedHook(hook, phase, registry, variables), ...(!blocking && { blocking: false }) };
}
