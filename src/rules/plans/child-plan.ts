import type { Plan } from '../../contracts/plan.js';
import { AbilityError } from '../../contracts/problem.js';
import { memoize } from '../../text/memoize.js';

const plansOf = memoize((_root: Plan) => new Map<string, Plan>());

/**
 * The plan of a workflow that the root's plan calls: its own steps, and everything else from the root.
 *
 * Children are identified by the root's digest, so their plan is part of the sealed one.
 *
 * @throws AbilityError `seal.invalid` when the root's plan calls no such workflow.
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
