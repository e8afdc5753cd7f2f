import type { Plan, PlanHandler, PlanWorkflow } from '../contracts/plan.js';
import { allSteps, nameOfStep } from '../rules/steps/step-tree.js';

export interface PlanNames {
  /** Step id to verb. A low-level ability is one step: `run`. */
  steps: Map<string, string>;
  operations: Set<string>;
  /** Step id to the workflow or agent it calls, in words, where no other step of this id calls an operation. */
  workflowCalls: Map<string, string>;
  /** The signal that a step waits for, by {@link waitKey}. */
  waits: Map<string, string>;
  /** Hook id to the kind of its handler. */
  hooks: Map<string, PlanHandler['kind']>;
}

/** Collects the names of a plan at any depth: steps and hooks are recognised by their shape. */
export function namesOf(plan: Plan): PlanNames {
  const names: PlanNames = {
    steps: new Map(),
    operations: new Set(),
    workflowCalls: new Map(),
    waits: new Map(),
    hooks: new Map(),
  };
  collect(plan, names);
  const workflows = [plan, ...Object.values(plan.workflows ?? {})];
  for (const workflow of workflows) collectWaits(workflow, names);
  for (const { step } of workflows.flatMap(allSteps)) {
    if (step.verb !== 'call' || names.operations.has(step.call)) continue;
    const kind = plan.workflows?.[step.call]?.agent ? 'agent' : 'workflow';
    names.workflowCalls.set(step.id, `the ${kind} \`${step.call}\``);
  }
  for (const { step } of workflows.flatMap(allSteps)) {
    if (step.verb === 'call' && names.operations.has(step.call)) names.workflowCalls.delete(step.id);
  }
  for (const { step } of workflows.flatMap(allSteps)) {
    const isAsked = step.verb === 'call' && plan.operations[step.call]?.unknown;
    if (isAsked) names.steps.set(`${step.id}.unknown`, 'call');
  }
  if (plan.ability.kind !== 'operation') return names;
  names.steps.set('run', 'call');
  if (plan.operations[plan.ability.id]?.unknown) names.steps.set('run.unknown', 'call');
  return names;
}

/** Step ids are unique in a workflow only. */
export function waitKey(ability: string, step: string): string {
  return `${ability}/${step}`;
}

function collectWaits(workflow: PlanWorkflow, { waits }: PlanNames): void {
  for (const { step } of allSteps(workflow)) {
    if (step.verb !== 'wait' || !('signal' in step.wait)) continue;
    waits.set(waitKey(workflow.ability.id, step.id), step.wait.signal);
  }
}

function collect(value: unknown, names: PlanNames): void {
  if (value === null || typeof value !== 'object') return;
  if (!Array.isArray(value)) note(value as Record<string, unknown>, names);
  for (const item of Object.values(value)) collect(item, names);
}

function note({ id, verb, undo, handler, key, implementation }: Record<string, unknown>, names: PlanNames): void {
  if (typeof id === 'string' && typeof verb === 'string') {
    names.steps.set(id, verb);
    // The bare name of a template's step means all its uses.
    if (id.includes('/') && !names.steps.has(nameOfStep(id))) names.steps.set(nameOfStep(id), verb);
  }
  if (typeof id === 'string' && verb === 'call' && undo) names.steps.set(`${id}.undo`, 'call');
  if (typeof key === 'string' && implementation) names.operations.add(key);
  const kind = (handler as PlanHandler | undefined)?.kind;
  if (typeof id === 'string' && kind !== undefined) names.hooks.set(id, kind);
}
