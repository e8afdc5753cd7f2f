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
