import type { BranchDefinition, StepDefinition } from '../formats/steps.js';

/** The ids of all steps of a template, wherever they stand in it. */
export function idsOfTemplate(steps: readonly StepDefinition[]): ReadonlySet<string> {
  return new Set(inList(steps));
}

function inList(steps: readonly StepDefinition[]): string[] {
  return steps.flatMap((step) => [step.id, ...inStep(step)]);
}

function inStep(step: BranchDefinition): string[] {
  const handled = (step.on_error ?? []).flatMap(({ steps = [] }) => inList(steps));
  return [...inVerb(step), ...handled, ...inList(step.finally ?? [])];
}

function inVerb(step: BranchDefinition): string[] {
  if ('parallel' in step) return inBranches(step.parallel);
  if ('race' in step) return inBranches(step.race);
  if ('switch' in step) return step.switch.flatMap((item) => inList('else' in item ? item.else : item.steps));
  return 'steps' in step ? inList(step.steps) : [];
}

function inBranches(branches: Record<string, BranchDefinition>): string[] {
  return Object.entries(branches).flatMap(([id, branch]) => [id, ...inStep(branch)]);
}
