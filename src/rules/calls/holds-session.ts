import type { Plan, PlanOperation } from '../../contracts/plan.js';
import { kindOf } from '../../kinds/kinds.js';
import { allSteps } from '../steps/find-step.js';

/** Whether calls of a task keep state in an MCP server, and so all reach the worker that has the connection. */
export function holdsSession({ implementation }: Pick<PlanOperation, 'implementation'>): boolean {
  return kindOf(implementation).holdsSession(implementation);
}

/** Whether an ability of a plan is such an operation, or calls one, directly or not. */
export function usesSession(plan: Plan, ability: string, seen: ReadonlySet<string> = new Set()): boolean {
  const { operations, workflows = {} } = plan;
  const operation = Object.hasOwn(operations, ability) ? operations[ability] : undefined;
  if (operation) return holdsSession(operation);
  const called = Object.hasOwn(workflows, ability) && !seen.has(ability) ? workflows[ability] : undefined;
  const path = new Set([...seen, ability]);
  return allSteps(called ?? { steps: [], finally: [] }).some(
    ({ step }) => step.verb === 'call' && usesSession(plan, step.call, path),
  );
}
