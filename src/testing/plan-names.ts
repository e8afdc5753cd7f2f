import type { Plan, PlanHandler, PlanWorkflow } from '../contracts/plan.js';
import type { CaseDefinition } from '../definitions/formats/cases.js';
import { allSteps, nameOfStep } from '../rules/steps/step-tree.js';
import { nearestOrAll } from '../text/nearest.js';

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
  const calls = workflows.flatMap(allSteps).flatMap(({ step }) => (step.verb === 'call' ? [step] : []));
  for (const { id, call } of calls) {
    const kind = plan.workflows?.[call]?.agent ? 'agent' : 'workflow';
    if (!names.operations.has(call)) names.workflowCalls.set(id, `the ${kind} \`${call}\``);
  }
  for (const { id, call } of calls) {
    if (names.operations.has(call)) names.workflowCalls.delete(id);
    if (plan.operations[call]?.unknown) names.steps.set(`${id}.unknown`, 'call');
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

/** The part of a case, or of the defaults of a file, that contains names of the plan. */
export type NamingPart = Pick<CaseDefinition, 'mocks' | 'hooks' | 'approvals' | 'signals'> &
  Partial<Pick<CaseDefinition, 'expect'>>;

export interface NameFault {
  /** Relative to the part. */
  path: PropertyKey[];
  part: 'key' | 'value';
  message: string;
  suggestion: string | undefined;
}

/** Finds names that would never match anything, such as a mistyped mock. */
export function findNameFaults(part: NamingPart, names: PlanNames): NameFault[] {
  return [
    ...Object.keys(part.mocks ?? {}).flatMap((name) => mockFault(name, names)),
    ...Object.keys(part.hooks ?? {}).flatMap((id) => hookFault(id, names)),
    ...Object.keys(part.approvals ?? {}).flatMap((name) => approvalFault(name, names)),
    ...(part.signals ?? []).flatMap(({ name }, index) => signalFault(name, index, names)),
    ...Object.keys(part.expect?.steps ?? {}).flatMap((name) => stepFault(name, names)),
    ...(part.expect?.calls ?? []).flatMap((call, index) => callFault(call, index, names)),
  ];
}

export function lastOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

function mockFault(name: string, { steps, operations, workflowCalls }: PlanNames): NameFault[] {
  const verb = steps.get(lastOf(name));
  const called = workflowCalls.get(lastOf(name));
  if (!operations.has(name) && called !== undefined) {
    const message = `\`${name}\` calls ${called}, which really runs`;
    return [key(['mocks', name], message, `Mock what it calls: \`${name}/STEP\`, or an operation by its key.`)];
  }
  if (operations.has(name) || verb === 'call') return [];
  if (verb !== undefined) {
    const suggestion =
      verb === 'approval' ? 'Decide it under `approvals`.' : 'Only steps that make calls are replaced.';
    return [key(['mocks', name], `\`${name}\` is a step that does not call (\`${verb}\`)`, suggestion)];
  }
  const calls = [...steps].filter(([, other]) => other === 'call').map(([id]) => id);
  const known = [...calls, ...operations];
  return [key(['mocks', name], `There is no step or operation \`${name}\``, nearestOrAll(name, known))];
}

const WHAT_ANSWERS: Record<Exclude<PlanHandler['kind'], 'script'>, string> = {
  expression: 'an expression',
  builtin: 'built in',
  ability: 'answered by an ability',
};

function hookFault(id: string, { hooks }: PlanNames): NameFault[] {
  const kind = hooks.get(id);
  if (kind === 'script') return [];
  if (kind !== undefined) {
    const message = `The hook \`${id}\` is ${WHAT_ANSWERS[kind]}, so it answers for itself`;
    return [key(['hooks', id], message, 'Only hooks that run a script are replaced.')];
  }
  const scripts = [...hooks].filter(([, other]) => other === 'script').map(([name]) => name);
  return [key(['hooks', id], `There is no hook \`${id}\` around this ability`, nearestOrAll(id, scripts))];
}

/** Any calling step may need approval; `run` is the task itself. */
function approvalFault(name: string, { steps }: PlanNames): NameFault[] {
  const id = lastOf(name).replace(/-[0-9a-f]{1,12}$/, '');
  const verb = steps.get(id);
  if (id === 'run' || verb === 'approval' || verb === 'call') return [];
  const asking = [...steps].filter(([, other]) => other === 'approval' || other === 'call').map(([step]) => step);
  const message =
    verb === undefined ? `There is no step \`${id}\`` : `The step \`${id}\` asks for no approval (\`${verb}\`)`;
  return [key(['approvals', name], message, nearestOrAll(id, [...asking, 'run']))];
}

function signalFault(name: string, index: number, { waits }: PlanNames): NameFault[] {
  const known = [...waits.values()];
  if (known.includes(name)) return [];
  const path = ['signals', index, 'name'];
  const message = `No step of this ability waits for the signal \`${name}\``;
  return [{ path, part: 'value', message, suggestion: nearestOrAll(name, known) }];
}

function stepFault(name: string, { steps }: PlanNames): NameFault[] {
  if (steps.has(lastOf(name))) return [];
  return [
    key(['expect', 'steps', name], `There is no step \`${name}\``, nearestOrAll(lastOf(name), [...steps.keys()])),
  ];
}

type ExpectedCall = NonNullable<CaseDefinition['expect']['calls']>[number];

function callFault(expected: ExpectedCall, index: number, { operations }: PlanNames): NameFault[] {
  const call = typeof expected === 'string' ? expected : expected.call;
  if (operations.has(call)) return [];
  const path = ['expect', 'calls', index, ...(typeof expected === 'string' ? [] : ['call'])];
  const message = `This ability never calls \`${call}\``;
  return [{ path, part: 'value', message, suggestion: nearestOrAll(call, [...operations]) }];
}

function key(path: PropertyKey[], message: string, suggestion: string | undefined): NameFault {
  return { path, part: 'key', message, suggestion };
}
