import type { Lifecycle, Standing } from '../../contracts/lifecycle.js';
import type { Placement } from '../../contracts/placement.js';
import { operationKinds } from '../../definitions/operation-kinds.js';
import type { Registry } from '../../definitions/registry.js';
import { inferPlacement } from '../../planning/steps/infer-placement.js';

/** One ability in a list. */
export interface ListedAbility {
  id: string;
  level: 'high' | 'low';
  type: string;
  version: number | string;
  environments: string[] | null;
  /** In the environment asked for, else in the project's own choice. */
  placement: Placement;
  /** Absent: nothing is said, and it is stable. */
  status?: Lifecycle;
  replaced_by?: string;
  /** False for a workflow without steps, and for an agent whose model the project has not. */
  runnable: boolean;
  summary: string;
  file: string;
}

/**
 * The abilities of a project, high-level ones first. Source: R-000-06.
 *
 * @param asked only those of this environment; left out: all. @param usual the environment for placements where none is asked for.
 */
export function listAbilities(
  registry: Registry,
  asked: string | undefined,
  usual: string | undefined,
): ListedAbility[] {
  const environment = asked ?? usual ?? registry.project.default_environment;
  const place: Place = (id) => inferPlacement(registry, id, environment).placement;
  return abilitiesOf(registry, place).filter(({ environments }) => {
    return asked === undefined || environments === null || environments.includes(asked);
  });
}

type Place = (id: string) => Placement;

function standingOf({ status, replaced_by }: Standing): Pick<ListedAbility, 'status' | 'replaced_by'> {
  return { ...(status && { status }), ...(replaced_by !== undefined && { replaced_by }) };
}

function abilitiesOf(registry: Registry, place: Place): ListedAbility[] {
  const { workflows, agents, operations } = registry;
  const high = [...workflows.values()].map(({ value, file }): ListedAbility => {
    const { id, type, version, summary, scope, steps } = value;
    const environments = scope.environments ?? null;
    const runnable = steps.length > 0;
    const entry = {
      id,
      level: 'high',
      type,
      version,
      environments,
      placement: place(id),
      ...standingOf(value),
    } as const;
    return { ...entry, runnable, summary, file };
  });
  const profiles = [...agents.values()].map(({ value, file }): ListedAbility => {
    const { id, type, version, summary, scope } = value;
    const environments = scope.environments ?? null;
    const entry = { id, level: 'high', type, version, environments, placement: place(id) } as const;
    return {
      ...entry,
      ...standingOf(value),
      runnable: Object.hasOwn(registry.project.models, value.model),
      summary,
      file,
    };
  });
  const kindOf = operationKinds(registry);
  const low = [...operations.values()].map(({ value, file }): ListedAbility => {
    const { operation_key: id, version, summary, scope } = value;
    const type = kindOf(value);
    const environments = scope.environments ?? null;
    const entry = {
      id,
      level: 'low',
      type,
      version,
      environments,
      placement: place(id),
      ...standingOf(value),
    } as const;
    return { ...entry, runnable: true, summary, file };
  });
  const byId = (a: ListedAbility, b: ListedAbility): number => a.id.localeCompare(b.id);
  return [...[...high, ...profiles].sort(byId), ...low.sort(byId)];
}
