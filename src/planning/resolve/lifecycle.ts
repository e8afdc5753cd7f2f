import type { Lifecycle, Standing } from '../../contracts/lifecycle.js';
import type { PlanAbility } from '../../contracts/plan.js';
import type { ModuleOverview } from '../../definitions/formats/module.js';
import type { Loaded, Registry } from '../../definitions/registry.js';
import { modulePath } from '../../text/module-path.js';

/** The lifecycle of an ability as its plan holds it: nothing where it is stable, so that its digest does not change. */
export function plannedLifecycle({ status, replaced_by }: Standing): Pick<PlanAbility, 'status' | 'replaced_by'> {
  if (status === undefined || status === 'stable') return {};
  return { status, ...(replaced_by !== undefined && { replaced_by }) };
}

/** The deprecated parts of a plan, a sentence each. Source: R-000-94. */
export function lifecycleWarnings(
  registry: Registry,
  plan: { ability: PlanAbility; called: readonly string[] },
): string[] {
  const { id, modules } = plan.ability;
  const others = plan.called.filter((called) => called !== id);
  return [
    ...deprecations('The ability', id, definitionOf(registry, id)),
    ...others.flatMap((called) => deprecations(`${id} calls the ability`, called, definitionOf(registry, called))),
    ...overviewsOf(registry, modules).flatMap(({ value }) =>
      deprecations(`${id} belongs to the module`, value.id, value),
    ),
  ];
}

/** The definition of an ability, at either level. */
export function definitionOf({ operations, workflows }: Registry, id: string): Standing | undefined {
  return (operations.get(id) ?? workflows.get(id))?.value;
}

/** The overviews of an ability's modules, where they exist. */
export function overviewsOf({ modules }: Registry, names: readonly string[]): Loaded<ModuleOverview>[] {
  if (modules.size === 0) return [];
  const paths = new Set(names.map(modulePath));
  return [...modules.values()].filter(({ value }) => paths.has(modulePath(value.id)));
}

/** Describes the use of something: `x calls y, which is deprecated; use z instead`. */
export function describeUse(what: string, id: string, status: Lifecycle, replacement: string | undefined): string {
  const instead = replacement === undefined ? '' : `; use ${replacement} instead`;
  return `${what} ${id}, which is ${status}${instead}`;
}

function deprecations(what: string, id: string, lifecycle: Standing | undefined): string[] {
  if (lifecycle?.status !== 'deprecated') return [];
  if (what === 'The ability') {
    return [
      `The ability ${id} is deprecated${lifecycle.replaced_by === undefined ? '' : `; use ${lifecycle.replaced_by} instead`}`,
    ];
  }
  return [describeUse(what, id, 'deprecated', lifecycle.replaced_by)];
}
