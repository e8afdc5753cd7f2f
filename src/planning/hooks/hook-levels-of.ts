import type { Plan } from '../../contracts/plan.js';
import type { LowLevel } from '../../definitions/formats/low-level.js';
import type { Loaded, Registry } from '../../definitions/registry.js';
import { configOf } from '../resolve/choose-implementation.js';
import { configLevels, hookLevels } from '../resolve/resolve-operation.js';
import type { HookSubject } from './hook-subject.js';
import type { HookBindings } from './resolve-hooks.js';

/** What decides about the hooks of the ability of a plan: what they are matched against, and who binds hooks. */
export function hookLevelsOf(
  registry: Registry,
  { ability, environment: { name: environment } }: Plan,
): { subject: HookSubject; levels: HookBindings[]; isWorkflow: boolean } {
  if (ability.kind === 'operation') {
    const operation = registry.operations.get(ability.id) as Loaded<LowLevel>;
    const { subject, levels } = hookLevels(registry, operation, environment);
    return { subject, levels, isWorkflow: false };
  }
  const { id, modules, effects, tags } = ability;
  const workflow = registry.workflows.get(id);
  const config = configOf(registry, id);
  const own = workflow ? [{ value: workflow.value.hooks, from: workflow, path: ['hooks'] }] : [];
  return {
    subject: { ability: id, modules, environment, kind: 'workflow', effects, tags },
    levels: [...own, ...configLevels(config, config?.value.environments?.[environment], environment)],
    isWorkflow: true,
  };
}
