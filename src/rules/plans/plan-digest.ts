import type { Plan, PlanOperation } from '../../contracts/plan.js';
import { AbilityError } from '../../contracts/problem.js';
import type { Seal } from '../../contracts/seal.js';
import type { WantedPlan } from '../../contracts/task.js';
import { kindOf } from '../../kinds/kinds.js';
import { memoizeText } from '../../text/memoize.js';
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

/** Equal plans with another key order have separate entries. */
const digestOfText = memoizeText(MAX_DIGESTS, (text) => digestOf(JSON.parse(text)));

/** Cached: the sandbox's SHA-256 is JavaScript, and most of the work at the start of a task. */
export function knownDigestOf(plan: Plan): string {
  const text = JSON.stringify(plan);
  return text.length > MAX_TEXT ? digestOf(plan) : digestOfText(text);
}

/** More would not fit into the failure of a workflow. */
const MAX_PARTS = 60;
const PART_DIGITS = 8;
const SHOWN = 12;

export interface FoundPlan {
  plan: Plan;
  /** Digest of the input after defaults. */
  input: string;
}

/** Details of `plan.changed`, from which the owner of the wanted plan can find the difference. */
export interface PlanChange {
  ability: string;
  wanted: WantedPlan;
  found: { plan: string; input: string };
  /** Beginning of each part's digest; absent if there are too many parts. */
  parts?: Record<string, string>;
}

/** @param reference digest of a plan, perhaps with that of its input after a dot. */
export function wantedPlan(reference: string): WantedPlan {
  const [plan = '', input] = reference.split('.');
  return { plan, ...(input !== undefined && { input }) };
}

/** @throws AbilityError `plan.changed` if the input is not the planned one. */
export function refuseOtherInput(wanted: WantedPlan | undefined, { plan, input }: FoundPlan): void {
  if (wanted?.input === undefined || wanted.input === input) return;
  const message = `The input is not the one that was planned: its digest is ${input.slice(0, SHOWN)}, not ${wanted.input.slice(0, SHOWN)}; nothing was created or changed`;
  throw changed(message, plan, { wanted, found: { plan: planDigest(plan), input } });
}

/**
 * Takes the digest of a plan before its tools are pinned (`ability plan`), or the sealed one with their pins
 * (`digest` of an earlier result). Before pinning, accepts any plan with tools.
 * @param isPinned whether the tools are pinned, as far as possible. @throws AbilityError `plan.changed`.
 */
export function refuseOtherPlan(wanted: WantedPlan | undefined, { plan, input }: FoundPlan, isPinned: boolean): void {
  if (!wanted) return;
  const unpinned = planDigest(plan);
  if (unpinned === wanted.plan || (isPinned ? digestOf(plan) === wanted.plan : hasTools(plan))) return;
  const parts = partsOf(plan);
  const { ability, environment } = plan;
  const message = `What would run is not what was planned: ${ability.id} in ${environment.name} has the plan ${unpinned.slice(0, SHOWN)}, not ${wanted.plan.slice(0, SHOWN)}; nothing was created or changed`;
  throw changed(message, plan, { wanted, found: { plan: unpinned, input }, ...(parts && { parts }) });
}

function changed(message: string, { ability, environment }: Plan, details: Omit<PlanChange, 'ability'>): AbilityError {
  return new AbilityError({
    code: 'plan.changed',
    message,
    details: { ability: ability.id, ...details } satisfies PlanChange,
    suggestion: `Look at what would run now: ability plan ${ability.id} --env ${environment.name}.`,
  });
}

export function isWantedPlan(wanted: WantedPlan | undefined, held: { plan: string; unpinned?: string }): boolean {
  return !wanted || wanted.plan === held.plan || wanted.plan === held.unpinned;
}

/** Short digests of a plan's parts, without pins; undefined if there are more than {@link MAX_PARTS}. */
export function partsOf(plan: Plan): Record<string, string> | undefined {
  const { operations, workflows = {}, ...rest } = withoutPins(plan);
  const entries: [string, unknown][] = [
    ...Object.entries(rest),
    ...Object.entries(operations).map(([key, part]): [string, unknown] => [`operations.${key}`, part]),
    ...Object.entries(workflows).map(([id, part]): [string, unknown] => [`workflows.${id}`, part]),
  ];
  if (entries.length > MAX_PARTS) return undefined;
  return Object.fromEntries(
    entries.flatMap(([name, part]) => (part === undefined ? [] : [[name, digestOf(part).slice(0, PART_DIGITS)]])),
  );
}
