import { AbilityError } from '../contracts/problem.js';
import { didYouMean } from '../text/nearest.js';
import { isBuiltIn } from './built-in-agents.js';
import type { AgentProfile } from './formats/agent.js';
import type { HighLevel } from './formats/high-level.js';
import type { LowLevel } from './formats/low-level.js';
import { type Loaded, type Registry, unreadable } from './registry.js';

/** An ability that calls others. */
export type Composite = HighLevel | AgentProfile;

export type Ability = LowLevel | Composite;

type Abilities = Pick<Registry, 'operations' | 'workflows' | 'agents'>;

/** All abilities that a project defines, by id: they share one namespace. Source: C-21. */
export function loadedAbilities({ operations, ...composites }: Abilities): [string, Loaded<Ability>][] {
  return [...operations, ...loadedComposites(composites)];
}

/** Also those that are built in. */
export function abilityIds({ operations, workflows, agents }: Abilities): string[] {
  return [...operations.keys(), ...workflows.keys(), ...agents.keys()];
}

export function loadedAbility(registry: Abilities, id: string): Loaded<Ability> | undefined {
  return registry.operations.get(id) ?? loadedComposite(registry, id);
}

/** All abilities of the project that call others, workflows first. */
export function loadedComposites({ workflows, agents }: Omit<Abilities, 'operations'>): [string, Loaded<Composite>][] {
  return [...workflows, ...[...agents].filter(([, agent]) => !isBuiltIn(agent))];
}

export function loadedComposite(registry: Omit<Abilities, 'operations'>, id: string): Loaded<Composite> | undefined {
  return registry.workflows.get(id) ?? registry.agents.get(id);
}

/** False for a workflow without steps, and for an agent whose model the project does not configure. */
export function isRunnable({ project }: Pick<Registry, 'project'>, composite: Composite): boolean {
  if (composite.type === 'agent') return Object.hasOwn(project.models, composite.model);
  return composite.steps.length > 0;
}

/** For messages. */
export function kindOf({ type }: Composite): string {
  return type === 'agent' ? 'an agent' : 'a workflow';
}

/** The error for an unknown id; it mentions unreadable files, which may define the ability. */
export function abilityNotFound(registry: Registry, id: string): AbilityError {
  const broken = unreadable(registry, 'low-level', 'high-level');
  const otherwise = broken ? `A file cannot be read: ${broken.message}` : 'Run `ability list` to see what there is.';
  return new AbilityError({
    code: 'ability.not_found',
    message: `There is no ability ${id} in the project ${registry.project.project}`,
    suggestion: didYouMean(id, abilityIds(registry)) ?? otherwise,
  });
}

/** Finds the definition of an ability. @throws AbilityError `ability.not_found`, or the error of its file. */
export async function findAbility(registry: Registry, id: string): Promise<Ability> {
  const found = loadedAbility(registry, id)?.value;
  if (found) return found;
  const broken = registry.broken.get(`ability:${id}`);
  if (broken) throw new AbilityError(broken);
  throw abilityNotFound(registry, id);
}
