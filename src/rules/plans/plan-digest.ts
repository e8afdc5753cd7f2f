import type { Plan, PlanOperation } from '../../contracts/plan.js';
import { digestOf } from '../canonical.js';

/**
 * Without tool pins, so that it can be computed without MCP servers, before a task exists. The sealed digest also
 * covers the pins; without tools, both are equal.
 */
export function planDigest(plan: Plan): string {
  return digestOf(withoutPins(plan));
}

/** Whether a plan calls MCP tools, which are pinned when its task is created. */
export function hasTools(plan: Plan): boolean {
  return Object.values(plan.operations).some(({ implementation }) => implementation.kind === 'mcp');
}

/** Removes the pins of MCP tools; returns the same object if there are none. */
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
