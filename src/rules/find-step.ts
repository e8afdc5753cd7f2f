import type { Plan, PlanStep } from '../contracts/plan.js';

const known = new WeakMap<Plan, Map<string, PlanStep>>();

/** The step a path leads to: ids are unique in a file, so its last name tells. Undefined for the task itself. */
export function findStep(plan: Plan, path: string): PlanStep | undefined {
  let steps = known.get(plan);
  if (!steps) {
    steps = new Map();
    collect([...plan.steps, ...plan.finally], steps);
    known.set(plan, steps);
  }
  return steps.get(path.slice(path.lastIndexOf('/') + 1));
}

function collect(steps: readonly PlanStep[], into: Map<string, PlanStep>): void {
  for (const step of steps) {
    into.set(step.id, step);
    if (step.verb === 'steps') collect(step.steps, into);
    if (step.verb === 'parallel') collect(step.branches, into);
    collect(step.finally ?? [], into);
  }
}
