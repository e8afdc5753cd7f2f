import { CEL, ENGINE } from '../../contracts/names.js';
import type { Plan } from '../../contracts/plan.js';
import { AbilityError } from '../../contracts/problem.js';
import { memoize } from '../../text/memoize.js';

const plansOf = memoize((_root: Plan) => new Map<string, Plan>());

/**
 * A called workflow's own steps, and the rest from the root, whose digest and seal cover it.
 * @throws AbilityError `seal.invalid` if the root's plan calls no such workflow.
 */
export function childPlan(root: Plan, ability: string): Plan {
  const plans = plansOf(root);
  const earlier = plans.get(ability);
  if (earlier) return earlier;
  const own = root.workflows && Object.hasOwn(root.workflows, ability) ? root.workflows[ability] : undefined;
  if (!own) throw new AbilityError({ code: 'seal.invalid', message: `${ability} is not among what was planned` });
  const { output: _, on_error: __, concurrency: ___, links: ____, agent: _____, ...shared } = root;
  const plan: Plan = { ...shared, ...own };
  plans.set(ability, plan);
  return plan;
}

/** Versions of the build that made a plan; a task started by hand may have any values. */
export type PlannedFor = Partial<Pick<Plan, 'engine' | 'cel'>>;

/** Undefined if this build can run the plan. Source: docs/architecture.md#what-must-stay-deterministic. */
export function whyNotThisBuild(planned: PlannedFor | undefined): string | undefined {
  if (planned?.engine !== ENGINE) {
    return `The task was planned for engine ${planned?.engine ?? 'none'}, this build has engine ${ENGINE}`;
  }
  if (planned.cel === CEL) return undefined;
  return `The expressions of the task were planned for CEL ${planned.cel ?? 'none'}, this build has CEL ${CEL}`;
}
