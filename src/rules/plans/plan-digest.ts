import type { Plan, PlanOperation } from '../../contracts/plan.js';
import type { Seal } from '../../contracts/seal.js';
import { kindOf } from '../../kinds/kinds.js';
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
  return Object.values(plan.operations).some(({ implementation }) => kindOf(implementation).hasPins);
}

/** Removes the pins of MCP tools; returns the same object if there are none. */
export function withoutPins(plan: Plan): Plan {
  const entries = Object.entries(plan.operations).map(([key, operation]) => [key, withoutPin(operation)] as const);
  if (entries.every(([key, operation]) => operation === plan.operations[key])) return plan;
  return { ...plan, operations: Object.fromEntries(entries) };
}

function withoutPin(operation: PlanOperation): PlanOperation {
  const implementation = kindOf(operation.implementation).withoutPin(operation.implementation);
  return implementation === operation.implementation ? operation : { ...operation, implementation };
}

/** 16 hex digits, equal only for seals of the same plan, input and person. */
export function sealMark(seal: Seal): string {
  return digestOf(seal).slice(0, 16);
}

const MAX_DIGESTS = 50;
/** In characters; larger plans are not cached. */
const MAX_TEXT = 64 * 1024;

/** By the plan as JSON. Equal plans with another key order have separate entries. */
const known = new Map<string, string>();

/** Cached: the sandbox's SHA-256 is JavaScript, and most of the work at the start of a task. */
export function knownDigestOf(plan: Plan): string {
  const text = JSON.stringify(plan);
  const before = known.get(text);
  if (before !== undefined) return before;
  const digest = digestOf(plan);
  if (text.length > MAX_TEXT) return digest;
  if (known.size >= MAX_DIGESTS) known.delete(known.keys().next().value as string);
  known.set(text, digest);
  return digest;
}
