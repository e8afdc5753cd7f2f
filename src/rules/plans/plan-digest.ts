import type { Plan, PlanOperation } from '../../contracts/plan.js';
import { digestOf } from '../canonical.js';

/**
 * The digest by which people name a plan before its task exists: that of the plan without the pins of its tools.
 *
 * It depends only on definitions and environment, so it can be computed where no MCP server is reachable. A plan
 * without tools has no other digest; with tools, the sealed digest covers their pins as well.
 */
export function planDigest(plan: Plan): string {
  return digestOf(withoutPins(plan));
}

/** Whether a plan calls tools, which are pinned when its task is created. */
export function hasTools(plan: Plan): boolean {
  return Object.values(plan.operations).some(({ implementation }) => implementation.kind === 'mcp');
}

/** A plan as it was before its tools were pinned; the same object where nothing is. */
export function withoutPins(plan: Plan): Plan {
  if (!Object.values(plan.operations).some(isPinned)) return plan;
  const entries = Object.entries(plan.operations).map(([key, operation]) => [key, withoutPin(operation)]);
  return { ...plan, operations: Object.fromEntries(entries) };
}

function isPinned({ implementation }: PlanOperation): boolean {
  return implementation.kind === 'mcp' && implementation.mcp.pinned !== undefined;
}

function withoutPin(operation: PlanOperation): PlanOperation {
  const { implementation } = operation;
  if (implementation.kind !== 'mcp') return operation;
  const { pinned: _, ...mcp } = implementation.mcp;
  return { ...operation, implementation: { ...implementation, mcp } };
}
