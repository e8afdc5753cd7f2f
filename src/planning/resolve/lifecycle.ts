import type { Lifecycle, LifecycleFields } from '../../contracts/lifecycle.js';
import type { PlanAbility } from '../../contracts/plan.js';
import { loadedAbility } from '../../definitions/find-ability.js';
import type { ModuleOverview } from '../../definitions/formats/module.js';
import type { Loaded, Registry } from '../../definitions/registry.js';
import { modulePath } from '../../text/module-path.js';

/** Empty for a stable ability, so that the digest of its plan does not change. */
export function plannedLifecycle({
  status,
  replaced_by,
}: LifecycleFields): Pick<PlanAbility, 'status' | 'replaced_by'> {
  if (status === undefined || status === 'stable') return {};
  return { status, ...(replaced_by !== undefined && { replaced_by }) };
}

/** One sentence for each deprecated part of a plan. Source: R-000-94. */
export function lifecycleWarnings(
  registry: Registry,
  plan: { ability: PlanAbility; called: readonly string[] },
): string[] {
  const { id, modules } = plan.ability;
  const others = plan.called.filter((called) => called !== id);
  return [
    ...deprecations('The ability', id, loadedAbility(registry, id)?.value),
    ...others.flatMap((called) =>
      deprecations(`${id} calls the ability`, called, loadedAbility(registry, called)?.value),
    ),
    ...overviewsOf(registry, modules).flatMap(({ value }) =>
      deprecations(`${id} belongs to the module`, value.id, value),
    ),
  ];
}

export function overviewsOf({ modules }: Registry, names: readonly string[]): Loaded<ModuleOverview>[] {
  if (modules.size === 0) return [];
  const paths = new Set(names.map(modulePath));
  return [...modules.values()].filter(({ value }) => paths.has(modulePath(value.id)));
}

/** Such as `x calls y, which is deprecated; use z instead`. */
export function describeUse(what: string, id: string, status: Lifecycle, replacement: string | undefined): string {
  const instead = replacement === undefined ? '' : `; use ${replacement} instead`;
  return `${what} ${id}, which is ${status}${instead}`;
}

function deprecations(what: string, id: string, lifecycle: LifecycleFields | undefined): string[] {
  if (lifecycle?.status !== 'deprecated') return [];
  if (what === 'The ability') {
    return [
      `The ability ${id} is deprecated${lifecycle.replaced_by === undefined ? '' : `; use ${lifecycle.replaced_by} instead`}`,
    ];
  }
  return [describeUse(what, id, 'deprecated', lifecycle.replaced_by)];
}
