import { AbilityError } from '../../contracts/problem.js';
import type { TaskPhase } from '../../definitions/hook-bindings.js';
import type { Registry } from '../../definitions/registry.js';
import type { HookSubject } from '../../planning/hooks/hook-subject.js';
import { type HookBindings, selectHooks } from '../../planning/hooks/resolve-hooks.js';
import { configOf } from '../../planning/resolve/choose-implementation.js';
import { configLevels, hookLevels } from '../../planning/resolve/resolve-operation.js';
import { callsOf } from '../../planning/steps/called-abilities.js';
import { effectOf } from './effects.js';

/** A guard before an ability. */
export interface Guard {
  /** Its id with its phase, as people read it. */
  name: string;
  phase: TaskPhase;
  hook: string;
}

/** The guards before an ability in an environment; none where they are not known. */
export function guardsOf(registry: Registry, id: string, environment: string): Guard[] {
  try {
    const { subject, levels } = surroundingsOf(registry, id, environment);
    return (['PreAbilityCreate', 'PreAbilityCall'] as const).flatMap((phase) =>
      selectHooks(phase, registry, subject, levels, () => {}).map(({ value }) => {
        return { name: `${value.id} (${phase})`, phase, hook: value.id };
      }),
    );
  } catch (error) {
    if (!(error instanceof AbilityError)) throw error;
    return [];
  }
}

function surroundingsOf(
  registry: Registry,
  id: string,
  environment: string,
): { subject: HookSubject; levels: HookBindings[] } {
  const operation = registry.operations.get(id);
  if (operation) return hookLevels(registry, operation, environment);
  const workflow = registry.workflows.get(id);
  const config = configOf(registry, id);
  const own = workflow ? [{ value: workflow.value.hooks, from: workflow, path: ['hooks'] }] : [];
  return {
    subject: {
      ability: id,
      modules: workflow?.value.scope.modules ?? [],
      environment,
      kind: 'workflow',
      effects: effectOf(registry, id),
      tags: [...tagsOf(registry, id, environment)],
    },
    levels: [...own, ...configLevels(config, config?.value.environments?.[environment], environment)],
  };
}

/** The tags of the operations that a workflow, and those that it calls, may call. */
function tagsOf(registry: Registry, id: string, environment: string, seen: Set<string> = new Set()): Set<string> {
  if (seen.has(id)) return new Set();
  seen.add(id);
  const operation = registry.operations.get(id);
  if (operation) return new Set(hookLevels(registry, operation, environment).subject.tags);
  const workflow = registry.workflows.get(id);
  const called = workflow ? [...callsOf(workflow.value)] : [];
  return new Set(called.flatMap((call) => [...tagsOf(registry, call.id, environment, seen)]));
}
