import { z } from 'zod';
import type { Lifecycle } from '../contracts/lifecycle.js';
import type { Placement } from '../contracts/names.js';
import { isBuiltIn } from '../definitions/built-in-agents.js';
import { type Ability, isRunnable, loadedComposites } from '../definitions/find-ability.js';
import { kindOfOperation } from '../definitions/kind-of-operation.js';
import type { Loaded, Registry } from '../definitions/registry.js';
import { resolveEnvironment } from '../planning/resolve/resolve-environment.js';
import { inferPlacement } from '../planning/steps/placement.js';
import * as fields from './fields.js';
import { answer, operation } from './operation.js';

export interface ListedAbility {
  id: string;
  level: 'high' | 'low';
  type: string;
  version: number | string;
  environments: string[] | null;
  /** In the requested environment, else in the project's default. */
  placement: Placement;
  /** Absent: stable. */
  status?: Lifecycle;
  replaced_by?: string;
  /** False for a workflow without steps, and for an agent whose model the project does not configure. */
  runnable: boolean;
  summary: string;
  file: string;
}

/** High-level first. @param only this environment. @param usual for placements otherwise. Source: R-000-06. */
export function abilitiesOf(registry: Registry, only: string | undefined, usual: string | undefined): ListedAbility[] {
  const environment = only ?? usual ?? registry.project.default_environment;
  const list = <T extends Ability>(
    loaded: Iterable<[string, Loaded<T>]>,
    level: ListedAbility['level'],
    kindOf: (value: T) => Pick<ListedAbility, 'type' | 'runnable'>,
  ): ListedAbility[] =>
    [...loaded].map(([id, { value, file }]) => {
      const { version, summary, scope, status, replaced_by } = value;
      const { type, runnable } = kindOf(value);
      const environments = scope.environments ?? null;
      const { placement } = inferPlacement(registry, id, environment);
      const lifecycle = { ...(status && { status }), ...(replaced_by !== undefined && { replaced_by }) };
      return { id, level, type, version, environments, placement, ...lifecycle, runnable, summary, file };
    });
  const kindOf = kindOfOperation(registry);
  const { workflows, agents } = registry;
  const builtIn = [...agents].filter(([, agent]) => isBuiltIn(agent) && isRunnable(registry, agent.value));
  const high = list([...loadedComposites({ workflows, agents }), ...builtIn], 'high', (value) => ({
    type: value.type,
    runnable: isRunnable(registry, value),
  }));
  const low = list(registry.operations, 'low', (value) => ({ type: kindOf(value), runnable: true }));
  const byId = (a: ListedAbility, b: ListedAbility): number => a.id.localeCompare(b.id);
  return [...high.sort(byId), ...low.sort(byId)].filter(({ environments }) => {
    return only === undefined || environments === null || environments.includes(only);
  });
}

export const listAbilities = operation({
  summary: 'List the abilities, high-level ones first.',
  right: 'read',
  at: 'GET /v1/abilities',
  input: z.strictObject({ environment: fields.environment.optional() }),
  answers: answer(
    'All of them, or those of the environment.',
    z.array(z.looseObject({ id: z.string(), level: z.string(), summary: z.string() })),
  ),
  async run(project, _, { environment }) {
    const registry = project.registry();
    if (environment !== undefined) resolveEnvironment(registry, environment);
    return abilitiesOf(registry, environment, project.environment);
  },
  concerns: {
    each: (listed, may, { input, project }) => {
      const all = Object.keys(project.registry().project.environments);
      return listed.filter(({ id, environments }) => {
        const where = input.environment === undefined ? (environments ?? all) : [input.environment];
        return where.some((environment) => may({ ability: id, environment }));
      });
    },
  },
});
