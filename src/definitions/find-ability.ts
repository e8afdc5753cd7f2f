import { AbilityError } from '../contracts/problem.js';
import { didYouMean } from '../text/nearest.js';
import type { Registry } from './registry.js';

/** The ids of all abilities of a project: they share one namespace. Source: C-21. */
export function abilityIds({ operations, workflows, agents }: Pick<Registry, 'operations' | 'workflows' | 'agents'>) {
  return [...operations.keys(), ...workflows.keys(), ...agents.keys()];
}

/** The error for an unknown id; it mentions unreadable files, which may define the ability. */
export function abilityNotFound(registry: Registry, id: string): AbilityError {
  const unreadable = registry.opaque.find(({ kind }) => kind === 'low-level' || kind === 'high-level');
  const otherwise = unreadable
    ? `A file cannot be read: ${unreadable.problem.message}`
    : 'Run `ability list` to see what there is.';
  return new AbilityError({
    code: 'ability.not_found',
    message: `There is no ability ${id} in the project ${registry.project.project}`,
    suggestion: didYouMean(id, abilityIds(registry)) ?? otherwise,
  });
}
