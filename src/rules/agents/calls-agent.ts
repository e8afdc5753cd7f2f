import type { Plan } from '../../contracts/plan.js';
import { allSteps } from '../steps/find-step.js';

/** Whether an ability is an agent, or calls one, directly or not. */
export function callsAgent(plan: Plan, ability: string | undefined, seen: ReadonlySet<string> = new Set()): boolean {
  const { workflows = {} } = plan;
  const called = ability !== undefined && Object.hasOwn(workflows, ability) ? workflows[ability] : undefined;
  if (!called || ability === undefined || seen.has(ability)) return false;
  if (called.agent) return true;
  const path = new Set([...seen, ability]);
  return allSteps(called).some(
    ({ step }) =>
      step.verb === 'call' && (callsAgent(plan, step.call, path) || callsAgent(plan, step.undo?.call, path)),
  );
}
